# Whose code a site is in, rules say: the limit is about a site that is there only with them.
cat >rules.xml <<'X'
<rules>
  <site is="library" path="/exp/scen\.py$" function="^leak_graph$"/>
</rules>
X
cat >budget.xml <<'X'
<budget>
  <limit of="peak" site="scen.py:506 &lt;module&gt;" max="64MiB"/>
</budget>
X
"$VRAMSCOPE" check --budget budget.xml "$TESTDATA"/leak_graph_step_40.pickle.zst
echo "status $?"
"$VRAMSCOPE" check --symbols=off --rules=rules.xml --budget budget.xml "$TESTDATA"/leak_graph_step_40.pickle.zst
