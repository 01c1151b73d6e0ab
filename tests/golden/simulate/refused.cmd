"$VRAMSCOPE" simulate -c max_split_size_mb:1 "$TESTDATA/good-container.pickle"
