"$VRAMSCOPE" timeline "$TESTDATA/trace-steps.json.gz"
