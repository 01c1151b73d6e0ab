"$VRAMSCOPE" inof
