"$VRAMSCOPE" leaks "$TESTDATA/trace-2021.json" 2>err; code=$?; sed 's/these can:.*/these can: .../' err >&2; exit $code
