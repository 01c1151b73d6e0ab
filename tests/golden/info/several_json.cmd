"$VRAMSCOPE" info --json "$TESTDATA/good-container.pickle" "$TESTDATA/unsupported-empty.pickle" |
	sed -n "/schema\|file\|error\|partial/p"
"$VRAMSCOPE" info --json "$TESTDATA/unsupported-empty.pickle" "$TESTDATA/good-container.pickle" >/dev/null 2>&1
