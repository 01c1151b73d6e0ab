"$VRAMSCOPE" batch --db -o out "$TESTDATA"/oom_split_pinned.pickle.zst >/dev/null 2>&1
for sql in 'SELECT' 'DELETE FROM files' "ATTACH 'x.sqlite' AS x" 'SELECT 1; SELECT 2' '' 'SELECT nothing FROM files'; do
	"$VRAMSCOPE" query out/summary.sqlite "$sql"
	echo "status $?"
done
"$VRAMSCOPE" query "$TESTDATA/unsupported-database.sqlite" 'SELECT 1'
echo "status $?"
"$VRAMSCOPE" query "$TESTDATA/README.md" 'SELECT 1'
