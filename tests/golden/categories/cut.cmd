"$VRAMSCOPE" categories --at end "$TESTDATA/bad-cut.pickle"
