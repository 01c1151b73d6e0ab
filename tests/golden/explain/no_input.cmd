"$VRAMSCOPE" explain --stacks
