#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_driver.sh -- the recorder under a fake driver and a fake CUPTI: every way to start and to end,
# and what other tools do to it.

# shellcheck disable=SC1091,SC2154 # what it sets
. "$(dirname -- "$0")/driver_lib.sh"

nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$work/exports"
grep -v -e '^vramscope_capture_[a-z_]*$' -e '^InitializeInjection$' "$work/exports" >"$work/others"
check "nothing else is exported" [ ! -s "$work/others" ]
strip -o "$work/stripped.so" "$library"
check "the library is below 300 KB" [ "$(wc -c <"$work/stripped.so")" -lt 307200 ]
for include in /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include \
	/usr/local/cuda-13.0/include; do
	if [ -e "$include/cupti.h" ]; then
		"${CC:-cc}" -std=gnu11 "-I$top" "-I$include" -I/usr/local/cuda/include \
			-fsyntax-only "$here/test_cuda_abi.c"
		check "the ABI is that of $include" [ $? -eq 0 ]
		break
	fi
done

fresh
load kinds
check "the program's own status" [ $? -eq 0 ]
check "nothing on stderr" [ ! -s err ]
check "a snapshot, and no ring beside it" [ "$(count '*.pickle')$(count '*.ring')" = 10 ]
check "it is consistent" valid x.pickle
check "device 0: five allocations" tells x.pickle '9: 5 alloc, 2 segment_alloc, 2 segment_map'
check "device 1: two maps" tells x.pickle '4: 2 alloc, 2 segment_map'
check "neighbouring maps are one segment" tells x.pickle '1 segment of 2 blocks'
check "pinned memory" tells x.pickle '10.74 KiB in 2 segments|11.00 KiB in 2 segments'
if command -v python3 >/dev/null; then
	python3 - <<'P'
import pickle
d = pickle.load(open("x.pickle", "rb"))
live = {k: (v["count"], v["bytes"]) for k, v in d["capture"]["live"].items()}
assert live == {
    "device": (1, 1000), "pitched": (1, 3072), "managed": (1, 2000), "async": (2, 7000),
    "mapped": (2, 4 << 20), "array": (1, 16000), "handles": (3, 6 << 20), "host": (1, 6000),
    "host_registered": (1, 5000), "imported": (2, (2 << 20) + 4096), "imported_handles": (1, 0),
    "mappings": (3, (2 + 2 * 32) << 20),
}, live
blocks = [b for s in d["segments"] for b in s["blocks"] if b["requested_size"] == 1000]
names = [f["name"] for f in blocks[0]["frames"]]
assert "main" in names and "cuMemAlloc_v2" in names, names
modules = {m["path"].rpartition("/")[2]: m["build_id"] for m in d["capture"]["modules"]}
assert {"load", "libcuda.so.1"} <= set(modules), modules
assert all(v is None or len(v) == 40 for v in modules.values()), modules
P
	check "CPython reads it: each kind with its bytes, stacks with names, modules" [ $? -eq 0 ]
fi

sited() { "$VRAMSCOPE" top -d 0 "$@" x.pickle >topped 2>&1 && grep -q "$wanted" topped; }
if "$VRAMSCOPE" top --symbols=auto x.pickle 2>&1 | grep -q 'without libdw'; then
	wanted=' main$'
else
	wanted='gpu_load.c:[1-9][0-9]* kinds$'
fi
check "the program's own lines hold the memory" sited
wanted='/load:[1-9][0-9]* main$'
check "places in it, where symbols are off" sited --symbols=off
mv "$work/load" "$work/moved"
check "or where the program is gone" sited
mv "$work/moved" "$work/load"

fresh
load free
check "what was given back is gone" tells x.pickle 'events +21: 5 alloc, 5 free_requested'
check "one unmap of two maps" tells x.pickle '2 segment_map, 2 segment_unmap'
check "and consistent" valid x.pickle

fresh
load stuck
check "a free that fails is taken back" tells x.pickle '1 segment of 2 blocks'
check "and consistent (stuck)" valid x.pickle

fresh
load context
check "a context takes its memory with it" tells x.pickle '1 segment of 2 blocks'
check "and consistent (context)" valid x.pickle

fresh
load capture
check "a graph's nodes are no allocations" tells x.pickle '2: 1 alloc, 1 segment_map'

fresh
FAKE_CUDA_BYTES=50000000 load oom
check "running out leaves one dump of a burst, and that of the end" [ "$(count '*.pickle')" -eq 2 ]
check "the event and what was free" tells x.pickle 'oom'
"$VRAMSCOPE" explain x.pickle >explained 2>&1
check "explain says why" grep -q '8.00 MiB' explained
check "both are consistent" valid x.pickle x_2.pickle

fresh
load fork
check "a forked child's frees are not ours" tells x.pickle '5 segments of 10 blocks'
check "and consistent (fork)" valid x.pickle
check "one snapshot" [ "$(count '*.pickle')" -eq 1 ]

fresh
record --signal=USR2 -o x.pickle -- "$work/load" signal
check "killed: 128 and the signal" [ $? -eq 137 ]
check "a dump on a signal" tells x.pickle '1 segment of 2 blocks'
check "the ring is left" [ "$(count '*.ring')" -eq 1 ]
"$VRAMSCOPE" recover x.ring -o r.pickle.zst
check "it is recovered" valid r.pickle.zst

fresh
record --max-entries=64 -o x.pickle -- "$work/load" storm 4 5000
check "threads, a ring that wraps" tells x.pickle 'truncated: older events were lost'
check "and consistent (threads)" valid x.pickle

fresh
record --max-entries=64 --stacks=none -- "$work/load" storm 16 3000
check "the usual name" [ "$(count "$(hostname)_*_rank0_*.pickle")" -eq 1 ]
check "and consistent (many threads)" valid ./*.pickle

fresh
mkdir closed
chmod 500 closed
record -o closed/nothing/x.pickle -- "$work/load" kinds
check "an unwritable folder does not fail the program" [ $? -eq 0 ]
check "and is one line" [ "$(grep -c '^vramscope: not recording: cannot make' err)" -eq 1 ]

fresh
(ulimit -f 1000 && record -o x.pickle -- "$work/load" kinds)
check "too little room for the ring does not fail the program" [ $? -eq 0 ]
check "and is one line (room)" grep -q '^vramscope: not recording: .*large' err
fresh
(ulimit -f 20000 && record -o x.pickle -- "$work/load" storm 4 40000)
check "a dump that is too large does not fail the program" [ $? -eq 0 ]

fresh
FAKE_CUPTI_TAKEN="Nsight Systems" load kinds
check "another subscriber does not fail the program" [ $? -eq 0 ]
check "and is named" grep -q 'another tool has subscribed to CUPTI: Nsight Systems' err
check "nothing is left" [ "$(count 'x.*')" -eq 0 ]
fresh
FAKE_CUPTI_VERSION=3 load kinds
check "a CUPTI that is too old is told" grep -q 'CUPTI 3 is too old' err
fresh
VRAMSCOPE_CUPTI=/nothing/libcupti.so load kinds
check "a CUPTI that is not there is told" grep -q 'no libcupti was found' err
fresh
VRAMSCOPE_CAPTURE_STACKS=odd load kinds
check "a setting without sense is told" grep -q 'STACKS makes no sense' err
fresh
CUDA_INJECTION64_PATH=/other.so load kinds
check "another injected tool is respected" [ $? -eq 2 ]

fresh
cp "$library" "$work/second.so"
export CAPTURE_LIBRARY=$work/second.so
load two
check "of two recorders in one process the second does not start" [ $? -eq 0 ]
check "the first goes on" tells x.pickle '1 segment of 2 blocks'
check "the second leaves nothing" [ "$(count 'second*')" -eq 0 ]
export CAPTURE_LIBRARY=$library

fresh
"$work/load" api mine.pickle >out 2>err
check "the program's own start, dump and stop" [ $? -eq 0 ]
check "status" [ "$(tr '\n' ' ' <out)" = "1 5 3 0 0 " ]
check "only what came in between" tells mine.pickle '2: 1 alloc, 1 segment_alloc'
check "and consistent (api)" valid mine.pickle
check "no dump but that" [ "$(count '*.pickle')" -eq 1 ]

fresh
CUDA_INJECTION64_PATH=$library VRAMSCOPE_CAPTURE_OUTPUT=x.pickle VRAMSCOPE_CAPTURE_KEEP_RING=yes \
	"$work/load" storm 4 200
cp x.ring whole.ring
bad=0
for bytes in 0 7 8 100 4095 4096 5000 20000 100000; do
	head -c $bytes whole.ring >cut.ring
	"$VRAMSCOPE" validate cut.ring >/dev/null 2>&1
	[ $? -le 3 ] || bad=$((bad + 1))
done
check "cut rings do no harm" [ $bad -eq 0 ]
"$VRAMSCOPE" recover "$here/gpu_load.c" -o r.pickle 2>/dev/null
check "recover refuses other files" [ $? -eq 3 ]
echo "1..$n"
