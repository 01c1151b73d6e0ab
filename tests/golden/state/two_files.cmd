"$VRAMSCOPE" state a b
