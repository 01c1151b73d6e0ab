"$VRAMSCOPE" simulate "$TESTDATA/timeline-small.json"
