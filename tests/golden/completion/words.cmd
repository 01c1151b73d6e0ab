"$VRAMSCOPE" completion words
