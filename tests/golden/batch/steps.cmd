# Steps by --step-marker, and results of other options kept apart; a bad expression is told before anything is read.
all() { # OPTION...
	"$VRAMSCOPE" batch -o out "$@" "$TESTDATA"/leak_graph_step_20.pickle.zst "$TESTDATA"/oom_split_pinned.pickle.zst >/dev/null 2>log
	echo "$* status $?"
	sed -n 's/.*: \(done\|known\)$/\1/p' log
	"$VRAMSCOPE" query --csv out/summary.sqlite "SELECT d.steps, d.step_source FROM files JOIN devices AS d USING (file_id)"
}
all
all --step-marker='^Optimizer.zero_grad'
all --step-marker='^Optimizer.zero_grad' --symbols=off
all
"$VRAMSCOPE" batch -o out --step-marker='(' "$TESTDATA"/leak_graph_step_20.pickle.zst
