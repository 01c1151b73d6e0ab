"$VRAMSCOPE" trend --json -o x.html "$TESTDATA/good-container.pickle"
