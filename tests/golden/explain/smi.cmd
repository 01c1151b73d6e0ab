"$VRAMSCOPE" explain --nvidia-smi "$TESTDATA/sides/oom_split_pinned.nvidia-smi.xml" "$TESTDATA/oom_split_pinned.pickle.zst" | head -n 20
