"$VRAMSCOPE" simulate -c "" -c expandable_segments:True -o s.svg "$TESTDATA/oom_split_pinned.pickle.zst" && head -n 40 s.svg
