"$VRAMSCOPE" validate "$TESTDATA/bad-cut.pickle"
