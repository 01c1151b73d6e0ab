"$VRAMSCOPE" recover "$TESTDATA/oom_split_pinned.pickle.zst" -o x.pickle
