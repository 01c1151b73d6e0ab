"$VRAMSCOPE" trend --order size "$TESTDATA/good-container.pickle"
