"$VRAMSCOPE" top --help
