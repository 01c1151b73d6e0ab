"$VRAMSCOPE" diff "$TESTDATA/good-container.pickle" "$TESTDATA/bad-cut.pickle"
