"$VRAMSCOPE" top --filter 'scen.py:24' --exclude ':240' "$TESTDATA/oom_split_pinned.pickle.zst"
