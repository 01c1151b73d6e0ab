"$VRAMSCOPE" explain --driver "$TESTDATA/driver/ddp.pickle.zst" "$TESTDATA/driver/ddp.pickle.zst"
