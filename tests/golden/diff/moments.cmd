"$VRAMSCOPE" diff --at 1000 --and end "$TESTDATA/leak_graph_step_40.pickle.zst"
