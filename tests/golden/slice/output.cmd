"$VRAMSCOPE" slice "$TESTDATA/good-container.pickle"
