"$VRAMSCOPE" diff -o d.html "$TESTDATA/leak_graph_step_10.pickle.zst" "$TESTDATA/leak_graph_step_20.pickle.zst" && cat d.html
