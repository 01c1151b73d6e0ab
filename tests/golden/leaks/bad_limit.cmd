"$VRAMSCOPE" leaks --fail-on-leak much "$TESTDATA/leak_graph_step_20.pickle.zst"
