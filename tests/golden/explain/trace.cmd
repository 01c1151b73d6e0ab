"$VRAMSCOPE" explain "$TESTDATA/trace-steps.json.gz"
