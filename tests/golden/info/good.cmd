"$VRAMSCOPE" info "$TESTDATA/oom_split_pinned.pickle.zst"
