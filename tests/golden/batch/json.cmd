cp "$TESTDATA"/oom_split_pinned.pickle.zst rank0.pickle.zst
"$VRAMSCOPE" batch --json -o out rank0.pickle.zst 2>/dev/null | sed -n '1,70p'
