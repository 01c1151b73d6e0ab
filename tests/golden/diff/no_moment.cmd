"$VRAMSCOPE" diff --at oom "$TESTDATA/good-container.pickle" "$TESTDATA/good-container.json"
