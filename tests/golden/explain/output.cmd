"$VRAMSCOPE" explain -o a.json "$TESTDATA/oom_split_pinned.pickle.zst" && "$VRAMSCOPE" explain --json "$TESTDATA/oom_split_pinned.pickle.zst" | cmp - a.json && head -n 3 a.json
