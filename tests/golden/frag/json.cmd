"$VRAMSCOPE" frag --json --at peak "$TESTDATA/oom_split_pinned.pickle.zst" | head -n 60
