"$VRAMSCOPE" state --at oom --blocks "$TESTDATA/oom_split_pinned.pickle.zst" | head -n 40
