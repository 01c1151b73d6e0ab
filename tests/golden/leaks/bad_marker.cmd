"$VRAMSCOPE" leaks --step-marker "no such" "$TESTDATA/leak_graph_step_20.pickle.zst"
