"$VRAMSCOPE" simulate --self-check "$TESTDATA/oom_small_ring.pickle.zst" && "$VRAMSCOPE" simulate --scale 150% -c "" "$TESTDATA/oom_small_ring.pickle.zst"
