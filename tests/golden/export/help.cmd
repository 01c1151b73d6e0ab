"$VRAMSCOPE" export --help
