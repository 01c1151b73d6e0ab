"$VRAMSCOPE" top -d 0 --symbols=off "$TESTDATA/recorded.ring.zst" && "$VRAMSCOPE" top -d 1 --by stack --symbols=off "$TESTDATA/recorded.ring.zst"
