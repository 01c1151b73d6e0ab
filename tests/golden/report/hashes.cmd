# The policy allows the page's own style and script, by the hashes of what stands there.
"$VRAMSCOPE" report -o a.html "$TESTDATA/oom_small_ring.pickle.zst" || exit
for f in style script; do
	awk -v f=$f 'BEGIN { RS = "\001" } {
		s = $0
		sub(".*<" f ">", "", s)
		sub("</" f ">.*", "", s)
		printf "%s", s }' a.html | sha256sum | cut -d ' ' -f 1 >found
	grep -o "$f-src 'sha256-[^']*" a.html | sed 's/.*sha256-//' | base64 -d | od -An -v -tx1 |
		tr -d ' \n' >allowed
	[ "$(cat found)" = "$(cat allowed)" ] && echo same
done
