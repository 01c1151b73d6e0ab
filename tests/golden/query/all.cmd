"$VRAMSCOPE" batch --db -o out "$TESTDATA"/oom_split_pinned.pickle.zst >/dev/null 2>&1
# Wider than a table of people.
"$VRAMSCOPE" query out/summary.sqlite 'SELECT * FROM files' | sed 's|  */.*/testdata|  testdata|'
for view in by_peak failed_files same_failure first_to_fail unlike_their_group unlike_settings sites leaking settings_used; do
	"$VRAMSCOPE" query --csv out/summary.sqlite "SELECT count(*) AS $view FROM $view"
done
