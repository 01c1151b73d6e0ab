for by in file function annotation stream pool; do "$VRAMSCOPE" top --by $by --json "$TESTDATA/oom_memory_fraction.pickle.zst" | grep key; done
