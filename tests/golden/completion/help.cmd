"$VRAMSCOPE" completion --help
