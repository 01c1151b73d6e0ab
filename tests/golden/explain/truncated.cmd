"$VRAMSCOPE" explain "$TESTDATA/oom_small_ring.pickle.zst"
