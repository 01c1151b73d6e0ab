mkdir part
echo '{"schema": "vramscope.batch/1", "version": "0.0.1", "files": []}' >part/summary.json
"$VRAMSCOPE" merge -o out part
echo "status $?"
echo '{"schema": "vramscope.info/1"}' >part/summary.json
"$VRAMSCOPE" merge -o out part
echo "status $?"
"$VRAMSCOPE" merge -o out nothing
echo "status $?"
"$VRAMSCOPE" merge part
