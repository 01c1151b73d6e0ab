"$VRAMSCOPE" export --to csv "$TESTDATA/oom_split_pinned.pickle.zst" | head -n 6
