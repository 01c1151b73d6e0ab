"$VRAMSCOPE" explain "$VRAMSCOPE_SHARED/data/odd/python_segments_only.pickle.zst"
