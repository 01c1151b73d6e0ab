"$VRAMSCOPE" top "$TESTDATA/good-container.pickle"
