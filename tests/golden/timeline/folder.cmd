"$VRAMSCOPE" timeline -o no-such-folder/a.svg "$TESTDATA/oom_split_pinned.pickle.zst"
