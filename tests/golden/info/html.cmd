"$VRAMSCOPE" info "$TESTDATA/good-container.html"
