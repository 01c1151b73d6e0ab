"$VRAMSCOPE" recover "$TESTDATA/recorded.ring.zst" -o x.json
