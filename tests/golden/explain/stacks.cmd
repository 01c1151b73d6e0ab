"$VRAMSCOPE" explain --stacks "$TESTDATA/oom_memory_fraction.pickle.zst" | sed -n "/^Stacks/,\$p"
