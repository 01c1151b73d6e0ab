"$VRAMSCOPE" help --help
