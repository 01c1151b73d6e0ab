[ -w /dev/full ] || { echo "vramscope: cannot write to standard output: No space left on device" >&2; exit 4; }
"$VRAMSCOPE" info "$TESTDATA/good-container.pickle" >/dev/full
