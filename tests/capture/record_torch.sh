#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_torch.sh -- record --torch starts the helper in programs that know nothing of it.

here=$(cd -- "$(dirname -- "$0")" && pwd)
if ! command -v python3 >/dev/null || [ ! -x "$VRAMSCOPE" ]; then
	echo "1..0 # SKIP no python3 or no program built"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/lib" "$work/other" "$work/tmp"
cp "$here/fake_torch.py" "$work/lib/torch.py"
echo 'open("other_ran", "w").close()' >"$work/other/sitecustomize.py"
export PYTHONPATH=$work/lib TMPDIR=$work/tmp PYTHONDONTWRITEBYTECODE=
unset RANK SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK LOCAL_RANK
n=0

check() { # WORDS COMMAND...: a result
	local words=$1
	shift
	n=$((n + 1))
	"$@" || printf 'not '
	echo "ok $n - $words"
}

fresh() {
	rm -rf "$work/cwd"
	mkdir "$work/cwd"
	cd "$work/cwd" || exit 1
}
count() { find . -name "$1" | wc -l; }
record() { "$VRAMSCOPE" record --torch "$@" >out 2>err </dev/null; }

fresh
record --max-entries=77 --stacks=all -- python3 -c '
import torch
assert not torch.calls
torch.init()
print(torch.calls[0][1]["max_entries"], torch.calls[0][1]["stacks"])'
check "the program's own exit status" [ $? -eq 0 ]
check "options arrive" [ "$(cat out)" = "77 all" ]
check "one snapshot at exit" [ "$(count '*_rank0.pickle')" -eq 1 ]
check "nothing on stderr" [ ! -s err ]
check "the private folder is gone" [ -z "$(ls -A "$work/tmp")" ]

fresh
record -- python3 -c 'import torch; print(len(torch.calls))'
check "a program that does not use the GPU is not recorded" [ "$(cat out)" = 0 ]
check "and leaves no snapshot" [ "$(count '*.pickle')" -eq 0 ]

fresh
record -- python3 -c 'import json; raise SystemExit(7)'
check "a program without torch runs as ever" [ $? -eq 7 ]

fresh
FAKE_NO_CUDA=1 record -- python3 -c 'import torch; torch.init(); print(len(torch.calls))'
check "no GPU, nothing recorded" [ "$(cat out)" = 0 ]

fresh
PYTHONPATH=$work/lib:$work/other record -- python3 -c 'import torch; torch.init()'
check "another sitecustomize runs as well" [ -e other_ran ]
check "beside the recording" [ "$(count '*.pickle')" -eq 1 ]

fresh
record --folder=here -- sh -c '
	RANK=0 python3 -c "import torch; torch.init()"
	RANK=1 python3 -c "import torch; torch.init()"'
check "each rank has a snapshot, in the folder asked for" \
	[ "$(find here -name '*.pickle' | sed 's/.*_//' | sort | tr '\n' ' ')" = "rank0.pickle rank1.pickle " ]

fresh
record -- python3 -c '
import torch
torch.init()
torch.run_out()
raise torch.OutOfMemoryError("CUDA out of memory. Tried")'
check "an uncaught error's status" [ $? -eq 1 ]
check "its message is kept" [ "$(cat ./*.message.txt)" = "CUDA out of memory. Tried" ]
check "and its traceback shown" grep -q 'Tried' err

fresh
record --signal=USR2 -- python3 -c '
import os, signal, time, torch
torch.init()
os.kill(os.getppid(), signal.SIGUSR2)
for _ in range(500):
	if [n for n in os.listdir(".") if n.endswith(".pickle")]:
		break
	time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)'
check "a signal's status" [ $? -eq 137 ]
check "a signal to us reaches the program" [ "$(count '*.pickle')" -eq 1 ]
check "the private folder is gone all the same" [ -z "$(ls -A "$work/tmp")" ]

fresh
TMPDIR=/proc/nothing record -- true
check "no room for the private folder is a system error" [ $? -eq 4 ]
echo "1..$n"
