"$VRAMSCOPE" diff -o d.svg "$TESTDATA/good-container.pickle" "$TESTDATA/leak_graph_step_10.pickle.zst" && cat d.svg
