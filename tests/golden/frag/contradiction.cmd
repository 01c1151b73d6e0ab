"$VRAMSCOPE" frag --json -o x.svg "$TESTDATA/good-container.pickle"
