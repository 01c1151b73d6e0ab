"$VRAMSCOPE" batch -o out --shard 3/2 "$TESTDATA"
