"$VRAMSCOPE" top --at end "$TESTDATA/oom_small_ring.pickle.zst"
