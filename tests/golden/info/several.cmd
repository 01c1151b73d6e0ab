"$VRAMSCOPE" info "$TESTDATA/good-container.pickle" "$TESTDATA/unsupported-text.txt" no-such-file
