"$VRAMSCOPE" timeline --json -o a.svg "$TESTDATA/oom_split_pinned.pickle.zst"
