"$VRAMSCOPE" export --to csv --at 100 --filter 'scen.py:30[0-9]' "$TESTDATA/leak_graph_step_10.pickle.zst"
