cp "$TESTDATA"/leak_graph_step_*.pickle.zst .
"$VRAMSCOPE" trend -o t.html *.zst && cat t.html
