"$VRAMSCOPE" diff "$TESTDATA/oom_split_pinned.pickle.zst" "$TESTDATA/good-container.pickle"
