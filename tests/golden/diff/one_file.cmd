"$VRAMSCOPE" diff "$TESTDATA/good-container.pickle"
