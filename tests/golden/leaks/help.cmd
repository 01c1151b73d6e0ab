"$VRAMSCOPE" leaks --help
