"$VRAMSCOPE" info --help
