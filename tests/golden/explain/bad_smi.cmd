"$VRAMSCOPE" explain --nvidia-smi "$TESTDATA/sides/oom_split_pinned.message.txt" "$TESTDATA/oom_split_pinned.pickle.zst"
