"$VRAMSCOPE" check --help
