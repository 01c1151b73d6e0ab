"$VRAMSCOPE" simulate --help
