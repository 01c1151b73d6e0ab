"$VRAMSCOPE" frag -o frag.svg "$TESTDATA/oom_split_pinned.pickle.zst" && head -n 40 frag.svg
