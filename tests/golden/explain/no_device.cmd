"$VRAMSCOPE" explain --device 3 "$TESTDATA/oom_split_pinned.pickle.zst"
