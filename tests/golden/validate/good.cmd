"$VRAMSCOPE" validate "$TESTDATA/oom_split_pinned.pickle.zst"
