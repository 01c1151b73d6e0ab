"$VRAMSCOPE" state --at peak "$TESTDATA/bad-cut.pickle"
