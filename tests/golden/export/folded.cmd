"$VRAMSCOPE" export --to folded "$TESTDATA/oom_split_pinned.pickle.zst" | cut -c 1-200
