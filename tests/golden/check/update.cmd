cp "$TESTDATA"/leak_graph_step_20.pickle.zst a.zst; cp "$TESTDATA"/leak_graph_step_40.pickle.zst b.zst
"$VRAMSCOPE" check --update --margin 5 --budget budget.xml a.zst
cat budget.xml
"$VRAMSCOPE" check --budget budget.xml a.zst
echo "status $?"
"$VRAMSCOPE" check --update --budget budget.xml a.zst "$TESTDATA"/bad-cut.pickle
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml b.zst >/dev/null
