"$VRAMSCOPE" simulate --capacity 1GiB --fraction 0.5 -c garbage_collection_threshold:0.6 "$TESTDATA/oom_split_pinned.pickle.zst"
