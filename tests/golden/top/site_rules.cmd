cat >rules.xml <<'X'
<rules>
  <site is="user" path="^torch/nn/modules/linear\.py$"/>
</rules>
X
"$VRAMSCOPE" top --rules rules.xml "$TESTDATA"/leak_graph_step_40.pickle.zst
