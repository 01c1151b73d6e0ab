# No name may become markup: each tag is one that pages have.
for f in hostile_names metadata; do
	"$VRAMSCOPE" timeline -o $f.html "$VRAMSCOPE_SHARED/data/odd/$f.pickle.zst" || exit
	"$VRAMSCOPE" timeline -o $f.svg "$VRAMSCOPE_SHARED/data/odd/$f.pickle.zst" || exit
	command -v xmllint >/dev/null && { xmllint --noout --nonet $f.svg || exit; }
done
cat ./*.html | grep -oE '<[^ >/]+' | sort -u | tr '\n' ' '
