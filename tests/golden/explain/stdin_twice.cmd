"$VRAMSCOPE" explain --log - -
