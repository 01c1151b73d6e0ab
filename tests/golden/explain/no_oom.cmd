"$VRAMSCOPE" explain "$TESTDATA/good-container.pickle"
