"$VRAMSCOPE" simulate --json --advise -c expandable_segments:True -c "" "$TESTDATA/oom_memory_fraction.pickle.zst"
