"$VRAMSCOPE" help nothing
