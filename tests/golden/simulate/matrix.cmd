"$VRAMSCOPE" simulate "$TESTDATA/good-container.pickle"
