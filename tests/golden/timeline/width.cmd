"$VRAMSCOPE" timeline --width 100 -o a.svg "$TESTDATA/oom_split_pinned.pickle.zst"
