"$VRAMSCOPE" top --json "$TESTDATA/oom_split_pinned.pickle.zst"
