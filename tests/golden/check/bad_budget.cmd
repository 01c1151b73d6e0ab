for x in '<budget/>' '<budget><limit of="size" max="1"/></budget>' '<budget><limit of="peak" max="1 apple"/></budget>' \
	'<budget><limit of="peak" max="5%"/></budget>' '<budget><limit of="reserved" site="a" max="5"/></budget>' \
	'<budget><limit of="fragmentation" max="5"/></budget>' '<budget><limit of="peak" max="1" growth="1"/></budget>' '<budget' \
	'<budget><limit of="peak"/></budget>' '<budget><limit of="peak" sites="train.py" max="1GiB"/></budget>' \
	'<budget><limit of="peak" category="activations" max="1GiB"/></budget>' '<limits><limit of="peak" max="1GiB"/></limits>' \
	'peak: 1GiB'; do
	printf '%s\n' "$x" >budget.xml
	"$VRAMSCOPE" check --budget budget.xml "$TESTDATA"/oom_split_pinned.pickle.zst
	echo "status $?"
done
"$VRAMSCOPE" check --budget budget.xml --update "$TESTDATA"/oom_split_pinned.pickle.zst
echo "status $?"
cat budget.xml
"$VRAMSCOPE" check --budget budget.xml --margin lots "$TESTDATA"/oom_split_pinned.pickle.zst
echo "status $?"
"$VRAMSCOPE" check --budget nothing.xml "$TESTDATA"/oom_split_pinned.pickle.zst
