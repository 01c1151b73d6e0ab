"$VRAMSCOPE" info -o a.json "$TESTDATA/good-container.pickle" && head -n 3 a.json
"$VRAMSCOPE" info -o a.txt "$TESTDATA/good-container.pickle" && head -n 1 a.txt
"$VRAMSCOPE" info --json --output=a.data "$TESTDATA/good-container.pickle" && cmp a.json a.data
"$VRAMSCOPE" info -o b.json "$TESTDATA/unsupported-text.txt"
ls
"$VRAMSCOPE" info -o a.svg "$TESTDATA/good-container.pickle"
