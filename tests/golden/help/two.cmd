"$VRAMSCOPE" help info state
