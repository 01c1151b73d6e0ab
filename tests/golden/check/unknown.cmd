echo '<budget><limit of="peak" max="1TiB"/><limit of="leak" max="1TiB"/></budget>' >budget.xml
"$VRAMSCOPE" check --budget budget.xml no_such.pickle
echo "status $?"
"$VRAMSCOPE" check --budget budget.xml "$TESTDATA"/bad-cut.pickle
echo "status $?"
echo '<budget><limit of="peak" max="1TiB" rank="7"/></budget>' >budget.xml
"$VRAMSCOPE" check --budget budget.xml "$TESTDATA"/oom_split_pinned.pickle.zst
