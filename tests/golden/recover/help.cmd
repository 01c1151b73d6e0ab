"$VRAMSCOPE" recover --help
