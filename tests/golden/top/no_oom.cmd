"$VRAMSCOPE" top --at oom "$TESTDATA/good-container.pickle"
