cp "$TESTDATA/oom_split_pinned.pickle.zst" "$TESTDATA"/sides/oom_split_pinned.* . && "$VRAMSCOPE" explain --no-siblings oom_split_pinned.pickle.zst | head -n 18
