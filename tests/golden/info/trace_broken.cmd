"$VRAMSCOPE" info "$TESTDATA/trace-broken.json"
