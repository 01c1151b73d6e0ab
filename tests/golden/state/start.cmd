"$VRAMSCOPE" state --at start "$TESTDATA/good-container.pickle"
