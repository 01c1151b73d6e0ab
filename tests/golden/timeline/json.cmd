# All but the numbers of each column.
"$VRAMSCOPE" timeline --json --width 480 "$TESTDATA/oom_memory_fraction.pickle.zst" |
	sed '/"columns"/,$d'
