"$VRAMSCOPE" query --help
