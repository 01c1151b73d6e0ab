"$VRAMSCOPE" info -o no-such-folder/a.json "$TESTDATA/good-container.pickle"
