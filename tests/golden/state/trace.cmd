"$VRAMSCOPE" state "$TESTDATA/trace-steps.json.gz"
