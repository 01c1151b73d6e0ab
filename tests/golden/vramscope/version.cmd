"$VRAMSCOPE" --version | grep -c "^vramscope [0-9]"
