cp "$TESTDATA/oom_split_pinned.pickle.zst" . && echo "[]" >oom_split_pinned.observer.json && "$VRAMSCOPE" explain oom_split_pinned.pickle.zst | head -n 8
