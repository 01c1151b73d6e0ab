"$VRAMSCOPE" timeline "$TESTDATA/timeline-small.raw.json.gz" -o a.json && cat a.json && echo
cmp a.json "$TESTDATA/timeline-small.json"
"$VRAMSCOPE" timeline a.json -o b.raw.json.gz && zcat b.raw.json.gz && echo
"$VRAMSCOPE" timeline "$TESTDATA/trace-steps.json.gz" -o c.json.gz && zcat c.json.gz
