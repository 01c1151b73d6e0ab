"$VRAMSCOPE" recover "$TESTDATA/recorded.ring.zst" -o x.pickle && "$VRAMSCOPE" validate x.pickle && "$VRAMSCOPE" state x.pickle
