"$VRAMSCOPE" batch -o out --name-pattern "(?<host>x" "$TESTDATA"
