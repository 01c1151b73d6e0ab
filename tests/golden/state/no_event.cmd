"$VRAMSCOPE" state --at 1000 "$TESTDATA/good-container.pickle"
