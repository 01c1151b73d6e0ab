cp "$TESTDATA"/leak_graph_step_*.pickle.zst .
"$VRAMSCOPE" trend --order given leak_graph_step_40.pickle.zst leak_graph_step_10.pickle.zst | head -5
