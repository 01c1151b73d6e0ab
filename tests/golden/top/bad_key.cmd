"$VRAMSCOPE" top --by colour "$TESTDATA/oom_split_pinned.pickle.zst"
