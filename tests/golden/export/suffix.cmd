"$VRAMSCOPE" export "$TESTDATA/good-container.pickle" -o x.unknown
