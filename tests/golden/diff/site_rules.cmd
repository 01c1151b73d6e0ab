cat >rules.xml <<'X'
<rules>
  <site is="library" path="/exp/scen\.py$" function="^leak_graph$"/>
</rules>
X
"$VRAMSCOPE" diff --rules rules.xml "$TESTDATA"/leak_graph_step_10.pickle.zst "$TESTDATA"/leak_graph_step_40.pickle.zst
