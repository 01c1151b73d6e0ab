cp "$TESTDATA"/leak_graph_step_*.pickle.zst .
"$VRAMSCOPE" trend --json -n 2 *.zst
