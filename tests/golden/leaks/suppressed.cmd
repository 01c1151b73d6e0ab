printf "# known\n\nleak:scen\\.py:30[67]\n" >s.txt
"$VRAMSCOPE" leaks --suppressions s.txt --fail-on-leak 2MiB "$TESTDATA/leak_graph_step_20.pickle.zst"
