"$VRAMSCOPE" batch --db -o out "$TESTDATA"/oom_*.zst "$TESTDATA"/leak_graph_step_40.pickle.zst >/dev/null 2>&1
ls out
"$VRAMSCOPE" query out/summary.sqlite 'SELECT verdict, least_requested_bytes, files FROM same_failure ORDER BY 1, 2'
"$VRAMSCOPE" query out/summary.sqlite 'SELECT site, bytes_per_step FROM leaking ORDER BY site LIMIT 3'
