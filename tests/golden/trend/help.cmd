"$VRAMSCOPE" trend --help
