"$VRAMSCOPE" explain --log "$TESTDATA/sides/oom_split_pinned.message.txt" "$TESTDATA/oom_memory_fraction.pickle.zst" | sed -n "3,12p"
