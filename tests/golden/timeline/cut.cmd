"$VRAMSCOPE" timeline -o a.svg "$TESTDATA/bad-cut.pickle"
echo $? && grep -c '</svg>' a.svg
"$VRAMSCOPE" timeline "$TESTDATA/bad-cut.pickle"
