printf "# known\nfoo\n" >s.txt
"$VRAMSCOPE" leaks --suppressions s.txt "$TESTDATA/leak_graph_step_20.pickle.zst"
