"$VRAMSCOPE" frag --help
