"$VRAMSCOPE" help | head -n 20
