"$VRAMSCOPE" categories --explain 12 "$TESTDATA/oom_small_ring.pickle.zst"
