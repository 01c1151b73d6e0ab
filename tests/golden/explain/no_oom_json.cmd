"$VRAMSCOPE" explain --json "$TESTDATA/good-container.pickle"
