# A short trace is played under other settings, as by frag.
"$VRAMSCOPE" report -o a.html "$TESTDATA/oom_split_pinned.pickle.zst" || exit
sed 's/<\/tr>/\n/g' a.html | sed -n '/What other settings/,/<\/table>/p' | sed 's/<[^>]*>/ /g; s/  */ /g; /^ *$/d' |
	head -n 6
"$VRAMSCOPE" frag --at oom "$TESTDATA/oom_split_pinned.pickle.zst" | sed -n '/What other settings/,/^$/p'
