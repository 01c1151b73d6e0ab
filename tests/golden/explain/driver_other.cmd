"$VRAMSCOPE" explain --driver "$TESTDATA/recorded.ring.zst" "$TESTDATA/driver/ddp.pickle.zst"
