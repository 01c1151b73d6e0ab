"$VRAMSCOPE" export --to openmetrics --at peak "$TESTDATA/good-container.pickle"
