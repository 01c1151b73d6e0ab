"$VRAMSCOPE" simulate -c "" -c expandable_segments:True -c max_split_size_mb:64,roundup_power2_divisions:8 "$TESTDATA/oom_split_pinned.pickle.zst"
