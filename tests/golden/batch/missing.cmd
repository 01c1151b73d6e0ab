"$VRAMSCOPE" batch -o out -j 1 no_such.pickle
