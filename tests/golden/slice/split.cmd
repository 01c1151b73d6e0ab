"$VRAMSCOPE" slice --split 3 "$TESTDATA/good-container.pickle" -o p.json && "$VRAMSCOPE" validate p.001.json
