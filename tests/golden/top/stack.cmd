"$VRAMSCOPE" top --by stack -n 2 "$TESTDATA/oom_activation_batch.pickle.zst"
