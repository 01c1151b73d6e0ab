"$VRAMSCOPE" leaks --to 2000 "$TESTDATA/leak_graph_step_40.pickle.zst" | head -4
