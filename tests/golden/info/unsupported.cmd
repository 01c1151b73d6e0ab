for f in "$TESTDATA"/unsupported-*; do
	"$VRAMSCOPE" info "$f"
	[ $? = 3 ] || echo "status of $f"
done
