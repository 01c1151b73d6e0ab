"$VRAMSCOPE" timeline --x event --from 600 --to oom "$TESTDATA/oom_split_pinned.pickle.zst"
