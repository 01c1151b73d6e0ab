cp -r "$TESTDATA"/oom_*.zst "$TESTDATA"/leak_graph*.zst "$TESTDATA"/bad-cut.pickle .
for i in 1 2 3; do
	"$VRAMSCOPE" batch --shard $i/3 -o part$i oom_*.zst leak*.zst bad-cut.pickle >/dev/null 2>&1
done
"$VRAMSCOPE" batch -o whole oom_*.zst leak*.zst bad-cut.pickle >whole.txt 2>/dev/null
"$VRAMSCOPE" merge -o merged part3 part1/summary.json part2 >merged.txt
echo "status $?"
cmp whole/summary.json merged/summary.json && cmp whole/summary.csv merged/summary.csv && cmp whole.txt merged.txt && echo equal
cat merged.txt
