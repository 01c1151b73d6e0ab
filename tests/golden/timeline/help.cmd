"$VRAMSCOPE" timeline --help
