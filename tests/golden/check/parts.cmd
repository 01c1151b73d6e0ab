cp "$TESTDATA"/leak_graph_step_40.pickle.zst rank1.zst
cat >budget.xml <<'X'
<budget>
  <limit of="peak" site="scen.py leak_graph" max="400MiB"/>
  <limit of="peak" site="exp/scen.py:307" max="50%"/>
  <limit of="peak" category="ACTIVATION" max="60%"/>
  <limit of="end" category="PARAMETER" max="40MiB"/>
  <limit of="end" site="*.py leak_graph" max="1TiB"/>
  <limit of="leak" site="scen.py:302 leak_graph" max="1KiB/step"/>
  <limit of="peak" max="8MiB/step"/>
  <limit of="end" max="1GiB/step" rank="0-1"/>
</budget>
X
"$VRAMSCOPE" check --budget budget.xml rank1.zst
"$VRAMSCOPE" check --budget budget.xml --units bytes rank1.zst | tail -n 3
