"$VRAMSCOPE" categories --json "$TESTDATA/oom_split_pinned.pickle.zst" | grep -A 4 "\"steps\""
