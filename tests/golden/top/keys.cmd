for by in file function annotation stream pool; do "$VRAMSCOPE" top --by $by "$TESTDATA/oom_memory_fraction.pickle.zst"; done
