"$VRAMSCOPE" categories --at 9999 "$TESTDATA/oom_split_pinned.pickle.zst"
