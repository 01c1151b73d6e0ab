"$VRAMSCOPE" frag "$TESTDATA/oom_split_pinned.pickle.zst"
