"$VRAMSCOPE" export --to sqlite "$TESTDATA/good-container.pickle"
