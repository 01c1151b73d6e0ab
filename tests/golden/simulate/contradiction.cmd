"$VRAMSCOPE" simulate --json -o x.svg "$TESTDATA/good-container.pickle"
