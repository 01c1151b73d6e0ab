"$VRAMSCOPE" categories --at oom --explain 0x7fd4aa000400 "$TESTDATA/oom_small_ring.pickle.zst"
