"$VRAMSCOPE" top "$TESTDATA/bad-cut.pickle"
