"$VRAMSCOPE" categories --json --at oom --explain 140551361921024 "$TESTDATA/oom_small_ring.pickle.zst" |
	grep -v "^      "
