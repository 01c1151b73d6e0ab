"$VRAMSCOPE" explain "$TESTDATA/bad-cut.pickle"
