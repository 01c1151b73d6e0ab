"$VRAMSCOPE" leaks --json --capacity 1GiB "$TESTDATA/leak_graph_step_20.pickle.zst"
