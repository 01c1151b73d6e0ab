"$VRAMSCOPE" diff --json -o x.svg "$TESTDATA/good-container.pickle" "$TESTDATA/good-container.json"
