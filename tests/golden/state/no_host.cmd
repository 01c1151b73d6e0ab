"$VRAMSCOPE" state --device host "$TESTDATA/good-container.pickle"
