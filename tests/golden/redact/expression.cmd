"$VRAMSCOPE" redact --keep "(" "$TESTDATA/good-container.pickle" -o r.pickle
