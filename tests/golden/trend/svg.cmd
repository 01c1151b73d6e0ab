cp "$TESTDATA"/leak_graph_step_*.pickle.zst .
"$VRAMSCOPE" trend -o t.svg *.zst && cat t.svg
