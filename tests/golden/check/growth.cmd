cat >budget.xml <<'X'
<budget><limit of="peak" growth="5%"/><limit of="end" growth="1TiB"/></budget>
X
cp "$TESTDATA"/leak_graph_step_20.pickle.zst a.zst; cp "$TESTDATA"/leak_graph_step_40.pickle.zst b.zst
"$VRAMSCOPE" check --budget budget.xml --baseline a.zst a.zst
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml a.zst
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml --baseline a.zst --json b.zst
