"$VRAMSCOPE" record -- true
