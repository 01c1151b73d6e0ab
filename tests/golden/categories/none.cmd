"$VRAMSCOPE" categories --at oom "$TESTDATA/oom_split_pinned.pickle.zst"
