"$VRAMSCOPE" convert --help
