"$VRAMSCOPE" categories --explain here "$TESTDATA/oom_small_ring.pickle.zst"
