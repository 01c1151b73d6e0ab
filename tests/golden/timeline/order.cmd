"$VRAMSCOPE" timeline --from oom --to 5 -o a.svg "$TESTDATA/oom_split_pinned.pickle.zst"
