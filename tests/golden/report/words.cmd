# What the page says without script, outside its pictures; the columns are tested in a browser.
"$VRAMSCOPE" report -o a.html "$TESTDATA/oom_split_pinned.pickle.zst" || exit
head -n 5 a.html | sed "s,sha256-[^']*,sha256-HASH,g"
sed -n '/<svg/,/<\/svg>/d; /<script/,/<\/script>/d; /<main>/,$p' a.html |
	sed 's/<[^>]*>/ /g; s/  */ /g; /^ *$/d' | head -n 18
