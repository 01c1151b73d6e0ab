"$VRAMSCOPE" validate --json "$TESTDATA/good-container.pickle"
