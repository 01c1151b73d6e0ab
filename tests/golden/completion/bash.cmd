"$VRAMSCOPE" completion >words.bash
cat >ask.bash <<"BASH"
source ./words.bash
vramscope() { "$VRAMSCOPE" "$@"; }
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _vramscope; echo "$*: ${COMPREPLY[*]}"; }
ask vramscope in
ask vramscope state --a
ask vramscope state --at p
ask vramscope state --at = pe
ask vramscope info --units M
ask vramscope help val
ask vramscope completion b
touch crash.pickle
ask vramscope info cr
BASH
bash ask.bash
