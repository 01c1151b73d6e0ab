# Layers of every kind, and a window without what lived before it.
for by in site annotation stream none; do
	"$VRAMSCOPE" timeline --by $by "$TESTDATA/oom_memory_fraction.pickle.zst" |
		sed -n '/^By /,/^$/p'
done
"$VRAMSCOPE" timeline --steps 3..5 --window-only "$TESTDATA/oom_memory_fraction.pickle.zst"
"$VRAMSCOPE" timeline --steps 3..500 "$TESTDATA/oom_memory_fraction.pickle.zst"
"$VRAMSCOPE" timeline --steps x "$TESTDATA/oom_memory_fraction.pickle.zst"
"$VRAMSCOPE" timeline --steps 3 --to peak "$TESTDATA/oom_memory_fraction.pickle.zst"
"$VRAMSCOPE" timeline --by none --window-only "$TESTDATA/oom_memory_fraction.pickle.zst"
"$VRAMSCOPE" timeline --by site "$TESTDATA/timeline-small.raw.json.gz"
