"$VRAMSCOPE" explain --json --log "$TESTDATA/sides/oom_split_pinned.message.txt"
