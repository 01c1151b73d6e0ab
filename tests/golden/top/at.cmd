"$VRAMSCOPE" top --at 300 -n 2 "$TESTDATA/oom_split_pinned.pickle.zst"
