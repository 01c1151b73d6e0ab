"$VRAMSCOPE" top --by category "$TESTDATA/oom_small_ring.pickle.zst"
