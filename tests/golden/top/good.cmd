"$VRAMSCOPE" top "$TESTDATA/oom_split_pinned.pickle.zst"
