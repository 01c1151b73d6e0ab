"$VRAMSCOPE" explain --observer "$TESTDATA/sides/messages.log" "$TESTDATA/oom_split_pinned.pickle.zst"
