# 1.2 million events: the page stays below 2 MB.
"$VRAMSCOPE" timeline -o a.html "$VRAMSCOPE_SHARED/data/runs/big_python.pickle.zst" || exit
[ "$(wc -c <a.html)" -lt 2000000 ] && echo small enough
