"$VRAMSCOPE" info no-such-file
