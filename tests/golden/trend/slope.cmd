for i in 1 2 3 4 5; do cp "$TESTDATA/leak_graph_step_10.pickle.zst" "a_$i"; done
for i in 11 9 10; do cp "$TESTDATA/leak_graph_step_40.pickle.zst" "a_$i"; done
"$VRAMSCOPE" trend a_*
