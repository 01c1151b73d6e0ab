"$VRAMSCOPE" report -o a.png "$TESTDATA/oom_split_pinned.pickle.zst"
