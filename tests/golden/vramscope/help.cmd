"$VRAMSCOPE" --help
