"$VRAMSCOPE" state --help
