"$VRAMSCOPE" explain --log "$TESTDATA/sides/oom_split_pinned.message.txt"
