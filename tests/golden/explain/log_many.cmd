"$VRAMSCOPE" explain --log - <"$TESTDATA/sides/messages.log"
