# A batch's database, its summary.json or its folder: as baseline, each file its own rank; and as what is checked.
mkdir old new
cp "$TESTDATA"/leak_graph_step_20.pickle.zst old/rank0.zst
cp "$TESTDATA"/leak_graph_step_40.pickle.zst old/rank1.zst
cp "$TESTDATA"/leak_graph_step_40.pickle.zst new/rank0.zst
cp "$TESTDATA"/leak_graph_step_40.pickle.zst new/rank1.zst
"$VRAMSCOPE" batch -o before old >/dev/null 2>&1
"$VRAMSCOPE" batch -o after new >/dev/null 2>&1
cat >budget.xml <<'X'
<budget>
  <limit of="peak" growth="5%"/>
  <limit of="peak" site="scen.py leak_graph" growth="1MiB"/>
</budget>
X
"$VRAMSCOPE" check --budget budget.xml --baseline before/summary.sqlite new/rank0.zst new/rank1.zst
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml --baseline before/summary.json after >text
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml --baseline before after/summary.sqlite | cmp - text
"$VRAMSCOPE" check --budget budget.xml --baseline before "$TESTDATA"/oom_split_pinned.pickle.zst
echo "status $?"
printf 'SQLite format 3\0nothing' >broken.sqlite
"$VRAMSCOPE" check --budget budget.xml --baseline broken.sqlite new/rank0.zst
echo "status $?"
"$VRAMSCOPE" query --json before/summary.sqlite 'SELECT count(*) AS n FROM files' >other.json
"$VRAMSCOPE" check --budget budget.xml --baseline other.json new/rank0.zst
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml --baseline before new
