"$VRAMSCOPE" diff "$TESTDATA/good-container.pickle" nowhere.pickle
