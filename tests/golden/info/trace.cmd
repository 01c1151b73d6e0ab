"$VRAMSCOPE" info "$TESTDATA/trace-steps.json.gz"
