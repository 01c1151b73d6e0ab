"$VRAMSCOPE" info --units=furlong "$TESTDATA/good-container.pickle"
