"$VRAMSCOPE" diff --json -n 1 "$TESTDATA/leak_graph_step_10.pickle.zst" "$TESTDATA/leak_graph_step_20.pickle.zst" | grep -A3 "\"rows\""
