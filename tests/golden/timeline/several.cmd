# Two files on one scale; what one picture cannot hold is refused.
"$VRAMSCOPE" timeline -x event -o a.svg "$TESTDATA/oom_split_pinned.pickle.zst" \
	"$TESTDATA/oom_memory_fraction.pickle.zst" || exit
command -v xmllint >/dev/null && { xmllint --noout --nonet a.svg || exit; }
sed 's/<\/text>/&\n/g' a.svg | sed -n 's/.*<text[^>]*>\(.*\)<\/text>/\1/p'
"$VRAMSCOPE" timeline --json --device all --width 480 "$TESTDATA/oom_split_pinned.pickle.zst" | sed -n 1,6p
"$VRAMSCOPE" timeline -o a.csv "$TESTDATA/oom_split_pinned.pickle.zst" \
	"$TESTDATA/oom_memory_fraction.pickle.zst"
