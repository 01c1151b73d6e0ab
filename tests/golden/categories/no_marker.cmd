"$VRAMSCOPE" categories --step-marker "^never$" "$TESTDATA/oom_split_pinned.pickle.zst"
