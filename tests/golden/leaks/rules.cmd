cat >rules.xml <<'X'
<rules>
  <site is="library" path="/exp/scen\.py$" function="^leak_graph$"/>
</rules>
X
"$VRAMSCOPE" leaks --rules rules.xml "$TESTDATA"/leak_graph_step_40.pickle.zst
