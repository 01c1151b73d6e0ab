# Each kind of detail stays as long as the page that has it fits, and no page is too large.
page() { # NAME LIMIT
	"$VRAMSCOPE" report -o "$1" --max-html-size="$2" "$TESTDATA/leak_graph_step_40.pickle.zst"
	[ "$(wc -c <"$1")" -le "$2" ] || echo "$1 is larger than its limit"
}
page whole.html $((64 << 20))
grep -c 'class="warning"' whole.html
above=whole.html
for name in times addresses events; do
	page $name.html $(($(wc -c <$above) - 1))
	grep -o '<p class="warning">[^:]*' $name.html
	# What is measured is at most a hundred bytes too much.
	page again.html $(($(wc -c <$name.html) + 100))
	[ $name = events ] || cmp $name.html again.html
	above=$name.html
done
