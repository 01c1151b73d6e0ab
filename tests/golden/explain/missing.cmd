"$VRAMSCOPE" explain no-such-file
