cp "$TESTDATA"/leak_graph_step_20.pickle.zst alpha-gpu3.zst
echo '<budget><limit of="peak" max="1MiB" rank="3"/><limit of="peak" max="1GiB" rank="2-4"/></budget>' >budget.xml
"$VRAMSCOPE" check --budget budget.xml --name-pattern 'gpu(?<rank>\d+)' alpha-gpu3.zst
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml --name-pattern 'gpu(\d+)' alpha-gpu3.zst
