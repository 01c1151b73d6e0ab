for to in folded openmetrics markdown; do "$VRAMSCOPE" export --to $to --by category --at peak "$TESTDATA/leak_graph_step_10.pickle.zst" | sed 's/;.*;/;...;/' | grep -v "^#" || exit; done
