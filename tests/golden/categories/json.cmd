"$VRAMSCOPE" categories --json --at oom "$TESTDATA/oom_memory_fraction.pickle.zst"
