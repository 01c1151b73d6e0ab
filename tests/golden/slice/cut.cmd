"$VRAMSCOPE" slice "$TESTDATA/bad-cut.pickle" -o s.pickle
