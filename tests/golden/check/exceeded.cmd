cp "$TESTDATA"/oom_split_pinned.pickle.zst rank0.pickle.zst
cp "$TESTDATA"/leak_graph_step_40.pickle.zst rank1.pickle.zst
cat >budget.xml <<'X'
<budget>
  <limit of="peak" max="1GiB"/>
  <limit of="peak" site="/home/user/projects/exp/scen.py:306 leak_graph" max="16MiB" rank="1"/>
  <limit of="fragmentation" max="20%"/>
  <limit of="leak" max="1TiB"/>
</budget>
X
"$VRAMSCOPE" check --budget budget.xml --junit junit.xml --markdown table.md rank0.pickle.zst rank1.pickle.zst
echo "status $?"
cat junit.xml table.md
"$VRAMSCOPE" check --budget budget.xml --github rank0.pickle.zst
