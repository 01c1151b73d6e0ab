"$VRAMSCOPE" redact --keep scen.py --hash-key k "$TESTDATA/oom_split_pinned.pickle.zst" -o r.pickle && "$VRAMSCOPE" top --at oom r.pickle | head -n 5
