"$VRAMSCOPE" simulate -c "" "$TESTDATA/bad-cut.pickle"
