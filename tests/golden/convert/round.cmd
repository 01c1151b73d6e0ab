"$VRAMSCOPE" convert "$TESTDATA/good-container.pickle" -o c.json && "$VRAMSCOPE" convert c.json -o c.pickle.zst && "$VRAMSCOPE" info c.pickle.zst
