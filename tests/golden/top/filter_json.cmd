"$VRAMSCOPE" top --filter 'scen.py:24' --json "$TESTDATA/oom_split_pinned.pickle.zst" | sed -n '/total_bytes/,/row_count/p'
