echo "all is well" | "$VRAMSCOPE" explain --log -
