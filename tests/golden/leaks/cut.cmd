"$VRAMSCOPE" leaks "$TESTDATA/bad-cut.pickle"
