"$VRAMSCOPE" top -n 1 "$TESTDATA/oom_split_pinned.pickle.zst" "$TESTDATA/good-container.pickle"
