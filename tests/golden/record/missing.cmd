"$VRAMSCOPE" record --torch -- ./nothing
