"$VRAMSCOPE" leaks "$TESTDATA/trace-2021.json"
