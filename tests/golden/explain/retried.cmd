"$VRAMSCOPE" explain "$TESTDATA/oom_activation_batch.pickle.zst"
