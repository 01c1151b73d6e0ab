"$VRAMSCOPE" report --help
