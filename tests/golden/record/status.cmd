"$VRAMSCOPE" record --torch -- sh -c 'echo "$1"; exit 3' sh -x
