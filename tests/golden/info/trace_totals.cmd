"$VRAMSCOPE" info --totals-only "$TESTDATA/trace-2021.json"
