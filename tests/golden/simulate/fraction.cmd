"$VRAMSCOPE" simulate --fraction 0.5 "$TESTDATA/good-container.pickle"
