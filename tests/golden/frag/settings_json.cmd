"$VRAMSCOPE" frag --json "$TESTDATA/oom_split_pinned.pickle.zst" | sed -n "/\"settings\"/,/^  \]/p"
