"$VRAMSCOPE" timeline -o a.html "$TESTDATA/oom_split_pinned.pickle.zst" || exit
head -n 8 a.html | sed "s,sha256-[^']*,sha256-HASH,"
# The words of the page outside the picture.
sed -n '/<svg/,/<\/svg>/d; /<main>/,$p' a.html | sed 's/<[^>]*>/ /g; s/  */ /g; /^ *$/d'
