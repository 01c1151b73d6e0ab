cp "$TESTDATA"/leak_graph_step_20.pickle.zst a.zst; cp "$TESTDATA"/leak_graph_step_40.pickle.zst b.zst
"$VRAMSCOPE" check --update --margin 5 --budget budget.xml a.zst
cat budget.xml
"$VRAMSCOPE" check --budget budget.xml a.zst
echo "status $?"
"$VRAMSCOPE" check --update --budget budget.xml a.zst "$TESTDATA"/bad-cut.pickle
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml b.zst >/dev/null
echo "status $?"
# A budget of one's own keeps its words, its units and its comments.
cat >own.xml <<'X'
<budget>
  <!-- What the graph keeps. -->
  <limit of="peak" site="scen.py leak_graph" max="1GiB"/>
  <limit of='fragmentation' max='90%'/>
  <limit of="peak" growth="5%"/>
</budget>
X
"$VRAMSCOPE" check --update --margin 0 --budget own.xml a.zst b.zst
echo "status $?"
cat own.xml
sed -i 's/leak_graph/leak_grape/' own.xml
"$VRAMSCOPE" check --update --budget own.xml a.zst
