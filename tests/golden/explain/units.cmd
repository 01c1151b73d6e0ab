"$VRAMSCOPE" explain --units=MiB "$TESTDATA/oom_memory_fraction.pickle.zst"
