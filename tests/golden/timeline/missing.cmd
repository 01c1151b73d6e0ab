"$VRAMSCOPE" timeline -o a.svg no-such-file; code=$?
ls
exit $code
