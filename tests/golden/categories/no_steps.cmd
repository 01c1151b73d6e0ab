"$VRAMSCOPE" categories --json "$TESTDATA/good-container.pickle" | grep -A 4 "\"steps\""
