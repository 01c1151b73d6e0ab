"$VRAMSCOPE" explain --no-siblings --driver "$TESTDATA/driver/ddp.driver.pickle.zst" "$TESTDATA/driver/ddp.pickle.zst" | sed -n '4,30p'
