"$VRAMSCOPE" timeline "$TESTDATA/oom_small_ring.pickle.zst"
