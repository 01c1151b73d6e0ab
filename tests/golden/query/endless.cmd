# An answer that never comes is given up; so is one that takes more memory than --limit.
"$VRAMSCOPE" batch --db -o out "$TESTDATA"/oom_split_pinned.pickle.zst >/dev/null 2>&1
"$VRAMSCOPE" query --timeout=1 out/summary.sqlite \
	'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
echo "status $?"
"$VRAMSCOPE" query --limit=4MiB out/summary.sqlite \
	'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY -i'
echo "status $?"
