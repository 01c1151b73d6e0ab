"$VRAMSCOPE" categories --json "$TESTDATA/oom_activation_batch.pickle.zst" | grep -A 4 "\"steps\""
