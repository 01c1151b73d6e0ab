"$VRAMSCOPE" explain --json "$TESTDATA/oom_memory_fraction.pickle.zst" | grep -v '\.cpp\|??:0\|:0 \|\.h:'
