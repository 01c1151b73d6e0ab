"$VRAMSCOPE" top --at peak "$TESTDATA/trace-steps.json.gz"
