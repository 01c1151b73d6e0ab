"$VRAMSCOPE" timeline "$TESTDATA/oom_split_pinned.pickle.zst"
