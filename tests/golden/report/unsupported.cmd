"$VRAMSCOPE" report -o a.html "$TESTDATA/unsupported-text.txt"; code=$?
ls
exit $code
