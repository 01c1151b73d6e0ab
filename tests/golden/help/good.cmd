"$VRAMSCOPE" help info
