"$VRAMSCOPE" timeline "$VRAMSCOPE_SHARED/data/odd/never_recorded.pickle.zst"
