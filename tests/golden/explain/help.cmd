"$VRAMSCOPE" explain --help
