for f in "$VRAMSCOPE_SHARED"/data/oom/*.pickle.zst; do
	"$VRAMSCOPE" explain "$f" | sed -n "1,4p;/^asked/p"
done
