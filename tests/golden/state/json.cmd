"$VRAMSCOPE" state --at 40 --json "$TESTDATA/good-container.pickle"
