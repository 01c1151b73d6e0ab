cat "$TESTDATA/good-container.pickle.gz" | "$VRAMSCOPE" info -
