"$VRAMSCOPE" info "$TESTDATA/timeline-small.raw.json.gz" "$TESTDATA/timeline-small.json"
