"$VRAMSCOPE" state "$TESTDATA/good-container.pickle"
