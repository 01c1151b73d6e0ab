"$VRAMSCOPE" state --at yesterday "$TESTDATA/good-container.pickle"
