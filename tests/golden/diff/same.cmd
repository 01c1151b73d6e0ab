"$VRAMSCOPE" diff "$TESTDATA/good-container.pickle" "$TESTDATA/good-container.json"
