"$VRAMSCOPE" info --json "$TESTDATA/oom_memory_fraction.pickle.zst"
