"$VRAMSCOPE" info --limit 100KiB "$TESTDATA/good-container.json"
