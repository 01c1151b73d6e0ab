"$VRAMSCOPE" record --torch
