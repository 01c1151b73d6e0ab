"$VRAMSCOPE" info
