"$VRAMSCOPE" info "$TESTDATA/bad-cut.pickle"
