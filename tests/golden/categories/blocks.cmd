"$VRAMSCOPE" categories --blocks --at 40 "$TESTDATA/oom_memory_fraction.pickle.zst"
