"$VRAMSCOPE" export "$TESTDATA/oom_split_pinned.pickle.zst" -o t.md && cat t.md
