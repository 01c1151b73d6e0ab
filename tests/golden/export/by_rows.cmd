"$VRAMSCOPE" export --to csv --by site "$TESTDATA/good-container.pickle"
