"$VRAMSCOPE" explain "$TESTDATA/oom_split_pinned.pickle.zst"
