"$VRAMSCOPE" convert "$TESTDATA/good-container.pickle" -o c.txt
