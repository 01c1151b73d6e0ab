#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh -- the recorder on a real GPU: sums against what PyTorch and the driver say. Needs torch.
#
#     run.sh OUT [PART] ...        parts: plain expandable async profiler killed overhead
#
# A part that has left OUT/PART.ok is not run again. Without make: the library is built with cc.

set -u
[ $# -gt 0 ] || {
	echo "usage: run.sh OUT [PART] ..." >&2
	exit 2
}
top=$(cd -- "$(dirname -- "$0")/../.." && pwd)
out=$1
shift
[ $# -gt 0 ] || set -- plain expandable async profiler killed overhead
mkdir -p "$out"
library=$out/libvramscope-capture.so
"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE "-I$top" -O2 -fPIC -fvisibility=hidden -shared -o "$library" \
	"$top"/capture/*.c -lpthread -ldl || exit 1

cat >"$out/train.py" <<'P'
import sys, time, torch
kept = [torch.ones(n * 1000000, device="cuda") for n in range(1, 20)]
a = torch.randn(4096, 4096, device="cuda")
(a @ a).sum().item()
del kept
if sys.argv[1] == "profiler":
    with torch.profiler.profile() as p:
        (a @ a).sum().item()
    print("cuda events", sum("gemm" in e.key or "nvjet" in e.key for e in p.key_averages()))
if sys.argv[1] == "killed":
    import os
    os.kill(os.getpid(), 9)
if sys.argv[1] == "overhead":
    small = torch.randn(256, 256, device="cuda")
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(20000):
        small = torch.relu(small)
    torch.cuda.synchronize()
    print("us_a_kernel", (time.perf_counter() - began) / 20000 * 1e6)
print("reserved", torch.cuda.memory_reserved())
P
cat >"$out/check.py" <<'P'
import pickle, sys
d = pickle.load(open(sys.argv[1], "rb"))
reserved, how = int(sys.argv[2]), sys.argv[3]
live = {k: v["bytes"] for k, v in d["capture"]["live"].items()}
total = sum(s["total_size"] for s in d["segments"])
torch_own = sum(
    s["total_size"] for s in d["segments"]
    if s["is_expandable"] or any("libc10_cuda" in f["filename"] for f in s["frames"])
)
names = [f["name"] for s in d["segments"] for f in s["frames"][:1]]
print(how, "total", total, "torch's", torch_own, "reserved", reserved, "innermost", sorted(set(names)))
assert how == "async" or torch_own == reserved, (torch_own, reserved)
assert not any("libcupti" in n for n in names)
assert d["capture"]["unknown_frees"] == 0 and d["capture"]["table_full"] == 0
P

recorded() { # PART CONF: run train.py under the recorder
	PYTORCH_CUDA_ALLOC_CONF=$2 CUDA_INJECTION64_PATH=$library \
		VRAMSCOPE_CAPTURE_OUTPUT=$out/$1.pickle timeout 100 python3 "$out/train.py" "$1"
}
sums() { # PART CONF
	rm -f "$out/$1.pickle" "$out/$1.ring"
	recorded "$1" "$2" >"$out/$1.txt" 2>"$out/$1.err" &&
		python3 "$out/check.py" "$out/$1.pickle" "$(awk '/^reserved/ { print $2 }' "$out/$1.txt")" "$1"
}
part() {
	case $1 in
	plain) sums plain "" ;;
	expandable) sums expandable expandable_segments:True ;;
	async) sums async backend:cudaMallocAsync ;;
	profiler) sums profiler "" && cat "$out/profiler.txt" && grep -a -m1 -i cupti "$out/profiler.err" ;;
	killed)
		rm -f "$out/killed.ring"
		recorded killed "" >/dev/null 2>&1
		[ -s "$out/killed.ring" ] && [ ! -e "$out/killed.pickle" ] &&
			{ [ -z "${VRAMSCOPE-}" ] || "$VRAMSCOPE" validate "$out/killed.ring"; }
		;;
	overhead)
		for _ in 1 2 3; do
			timeout 100 python3 "$out/train.py" overhead | sed -n 's/us_a_kernel/without/p'
			recorded overhead "" | sed -n 's/us_a_kernel/with/p'
			rm -f "$out/overhead.pickle"
		done
		;;
	*) return 2 ;;
	esac
}

for name in "$@"; do
	[ ! -e "$out/$name.ok" ] || continue
	if part "$name"; then
		touch "$out/$name.ok"
		echo "pass $name"
	else
		echo "FAIL $name"
	fi
done
