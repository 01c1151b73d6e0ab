"$VRAMSCOPE" top --at 626 "$TESTDATA/oom_split_pinned.pickle.zst"
