"$VRAMSCOPE" top "$TESTDATA/timeline-small.json"
