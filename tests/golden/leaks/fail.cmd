"$VRAMSCOPE" leaks --fail-on-leak 1MiB "$TESTDATA/leak_graph_step_20.pickle.zst" >out; code=$?; head -4 out; exit $code
