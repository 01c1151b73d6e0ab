"$VRAMSCOPE" top -d 0 "$TESTDATA/recorded.ring.zst" && "$VRAMSCOPE" top -d 1 --by stack "$TESTDATA/recorded.ring.zst"
