"$VRAMSCOPE" categories --help
