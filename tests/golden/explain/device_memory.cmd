"$VRAMSCOPE" explain --device-memory 139.8GiB "$TESTDATA/oom_activation_batch.pickle.zst" | head -n 24
