"$VRAMSCOPE" explain --json "$TESTDATA/oom_activation_batch.pickle.zst" | grep '"retried"\|"verdict"' | sort | uniq -c
