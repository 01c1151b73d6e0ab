cp "$TESTDATA/oom_split_pinned.pickle.zst" "$TESTDATA"/sides/oom_split_pinned.* . && "$VRAMSCOPE" explain --json oom_split_pinned.pickle.zst
