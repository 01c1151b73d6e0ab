"$VRAMSCOPE" recover "$TESTDATA/recorded.ring.zst"
