"$VRAMSCOPE" leaks "$TESTDATA/leak_graph_step_40.pickle.zst"
