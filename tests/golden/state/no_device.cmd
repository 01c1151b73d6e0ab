"$VRAMSCOPE" state --device 7 "$TESTDATA/good-container.pickle"
