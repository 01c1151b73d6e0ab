"$VRAMSCOPE" slice "$TESTDATA/driver/ddp.pickle.zst" --to=300 -o x.pickle >/dev/null && "$VRAMSCOPE" explain --driver "$TESTDATA/driver/ddp.driver.pickle.zst" x.pickle | head -n 24
