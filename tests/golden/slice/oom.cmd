"$VRAMSCOPE" slice --around oom --events 20 "$TESTDATA/oom_small_ring.pickle.zst" -o s.pickle && "$VRAMSCOPE" validate s.pickle && "$VRAMSCOPE" state --at oom s.pickle | head -n 8
