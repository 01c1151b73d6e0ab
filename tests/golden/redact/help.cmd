"$VRAMSCOPE" redact --help
