cp "$TESTDATA"/leak_graph_step_*.pickle.zst .
"$VRAMSCOPE" trend leak_graph_step_10.pickle.zst nowhere.pickle leak_graph_step_40.pickle.zst
