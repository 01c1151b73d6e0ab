"$VRAMSCOPE" info "$TESTDATA/recorded.ring.zst"
