"$VRAMSCOPE" report -o a.html "$TESTDATA/bad-cut.pickle"; code=$?
grep -o '<p class="warning">[^<]*' a.html
exit $code
