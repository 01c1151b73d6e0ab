"$VRAMSCOPE" check "$TESTDATA"/oom_split_pinned.pickle.zst
