"$VRAMSCOPE" completion tcsh
