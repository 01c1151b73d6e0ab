"$VRAMSCOPE" categories "$TESTDATA/oom_small_ring.pickle.zst"
