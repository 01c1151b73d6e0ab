"$VRAMSCOPE" leaks nowhere.pickle
