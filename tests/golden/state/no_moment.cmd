"$VRAMSCOPE" state --at oom "$TESTDATA/good-container.pickle"
