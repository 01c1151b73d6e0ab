"$VRAMSCOPE" top --filter '(' "$TESTDATA/oom_split_pinned.pickle.zst"
