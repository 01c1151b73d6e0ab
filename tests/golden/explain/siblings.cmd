cp "$TESTDATA/oom_split_pinned.pickle.zst" "$TESTDATA"/sides/oom_split_pinned.* . && "$VRAMSCOPE" explain oom_split_pinned.pickle.zst
