"$VRAMSCOPE" validate no-such-file
