"$VRAMSCOPE" info --strict "$TESTDATA/trace-broken.json"
