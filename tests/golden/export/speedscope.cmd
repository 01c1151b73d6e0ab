"$VRAMSCOPE" export --to speedscope --at end "$TESTDATA/good-container.pickle"
