"$VRAMSCOPE" info --json "$TESTDATA/bad-cut.json"
