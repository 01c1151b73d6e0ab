"$VRAMSCOPE" top --by stack -n 1 --json "$TESTDATA/good-container.pickle"
