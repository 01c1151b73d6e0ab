"$VRAMSCOPE" leaks "$TESTDATA/oom_small_ring.pickle.zst"
