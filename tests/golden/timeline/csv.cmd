"$VRAMSCOPE" timeline --width 480 -o a.csv "$TESTDATA/oom_split_pinned.pickle.zst"
head -n 3 a.csv && tail -n 1 a.csv && wc -l <a.csv
