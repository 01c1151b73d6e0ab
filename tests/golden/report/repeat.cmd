"$VRAMSCOPE" report -o a.html "$TESTDATA/oom_small_ring.pickle.zst" &&
	"$VRAMSCOPE" report -o b.html "$TESTDATA/oom_small_ring.pickle.zst" && cmp a.html b.html && ls
