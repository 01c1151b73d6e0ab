"$VRAMSCOPE" simulate --advise "$TESTDATA/oom_split_pinned.pickle.zst"
