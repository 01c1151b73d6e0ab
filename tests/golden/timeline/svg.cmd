"$VRAMSCOPE" timeline -o a.svg "$TESTDATA/oom_split_pinned.pickle.zst" || exit
command -v xmllint >/dev/null && { xmllint --noout --nonet a.svg || exit; }
head -n 2 a.svg
# What can be read in it, but for what shows under the pointer.
grep -v 'class="reading"' a.svg | sed 's/<\/text>/&\n/g' | sed -n 's/.*<text[^>]*>\(.*\)<\/text>/\1/p'
