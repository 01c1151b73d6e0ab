for x in '<budget/>' '<budget><limit of="size" max="1"/></budget>' '<budget><limit of="peak" max="1 apple"/></budget>' \
	'<budget><limit of="peak" max="5%"/></budget>' '<budget><limit of="end" site="a" max="5"/></budget>' \
	'<budget><limit of="fragmentation" max="5"/></budget>' '<budget><limit of="peak" max="1" growth="1"/></budget>' '<budget'; do
	printf '%s\n' "$x" >budget.xml
	"$VRAMSCOPE" check --budget budget.xml "$TESTDATA"/oom_split_pinned.pickle.zst
	echo "status $?"
done
"$VRAMSCOPE" check --budget nothing.xml "$TESTDATA"/oom_split_pinned.pickle.zst
