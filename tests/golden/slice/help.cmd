"$VRAMSCOPE" slice --help
