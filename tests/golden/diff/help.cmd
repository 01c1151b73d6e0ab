"$VRAMSCOPE" diff --help
