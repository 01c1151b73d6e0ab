for n in 2 3; do
	set -- "$TESTDATA/leak_graph_step_10.pickle.zst" "$TESTDATA/leak_graph_step_20.pickle.zst" \
		"$TESTDATA/leak_graph_step_40.pickle.zst"
	[ $n = 3 ] || shift
	"$VRAMSCOPE" report "$@" -o a.html || exit
	grep -oE '<(article|section) class="[a-z]*"|<h2[^>]*>[^<]*' a.html
done
