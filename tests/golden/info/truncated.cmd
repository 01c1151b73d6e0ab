"$VRAMSCOPE" info --units=bytes "$TESTDATA/oom_small_ring.pickle.zst"
