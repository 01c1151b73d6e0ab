"$VRAMSCOPE" frag "$TESTDATA/bad-cut.pickle"
