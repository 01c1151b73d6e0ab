"$VRAMSCOPE" slice --from 100 --to 50 "$TESTDATA/good-container.pickle" -o s.pickle
