"$VRAMSCOPE" record --help
