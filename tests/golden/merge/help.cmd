"$VRAMSCOPE" merge --help
