"$VRAMSCOPE" explain "$TESTDATA/oom_memory_fraction.pickle.zst" no-such-file "$TESTDATA/good-container.pickle" | grep '^[^ ]\|ran out\|verdict\|cannot\|not run'
