"$VRAMSCOPE" batch --help
