"$VRAMSCOPE" info --json "$TESTDATA/trace-steps.json.gz"
