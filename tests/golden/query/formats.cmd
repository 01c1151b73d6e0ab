"$VRAMSCOPE" batch --db -o out "$TESTDATA"/oom_split_pinned.pickle.zst >/dev/null 2>&1
"$VRAMSCOPE" query --csv out/summary.sqlite 'SELECT verdict, peak_allocated_bytes, NULL AS "a,b", 0.5 AS half FROM files'
"$VRAMSCOPE" query --json out/summary.sqlite 'SELECT verdict, peak_allocated_bytes, NULL AS "a""b", 0.5 AS half FROM files'
