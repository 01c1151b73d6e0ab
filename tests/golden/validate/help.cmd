"$VRAMSCOPE" validate --help
