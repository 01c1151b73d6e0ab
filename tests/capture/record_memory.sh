#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record_memory.sh -- what is recorded against what the fake driver holds: mappings, pools, handles,
# graphs, contexts. The sums must be the driver's own.

# shellcheck disable=SC1091,SC2154 # what it sets
. "$(dirname -- "$0")/driver_lib.sh"
if ! command -v python3 >/dev/null; then
	echo "1..$n # no python3: no more is looked at"
	exit 0
fi
cat >"$work/look.py" <<'P'
import pickle, sys
d = pickle.load(open("x.pickle", "rb"))
MIB = 1 << 20
capture = d["capture"]
live = {k: (v["count"], v["bytes"]) for k, v in capture["live"].items()}
devices = {v["index"]: v for v in capture["devices"]}
used = {w[0]: int(w[1]) for w in (line.split() for line in open("out")) if len(w) == 2}
segments = sorted((s["address"], s) for s in d["segments"])
segments = [s for _, s in segments]
def shape(s):
    """expandable, pool, and its blocks: + used, - not"""
    sizes = [("+" if b["state"] == "active_allocated" else "-") + str(b["size"]) for b in s["blocks"]]
    assert sum(b["size"] for b in s["blocks"]) == s["total_size"]
    return s["is_expandable"], s["segment_pool_id"][1] - 1, sizes
def actions(device=0):
    out = {}
    for e in d["device_traces"][device]:
        out[e["action"]] = out.get(e["action"], 0) + 1
    return out
def same(a, b):
    assert a == b, f"{a}\nis not\n{b}"
CONTEXT = 10 * MIB
exec(open("cases").read())
P
holds() { # WORDS: the Python on stdin holds for x.pickle, which is consistent
	cat >cases
	python3 "$work/look.py" >looked 2>&1
	check "$1" [ $? -eq 0 ]
	sed 's/^/# /' looked
	check "and consistent ($1)" valid x.pickle
}

fresh
load kinds
holds "small allocations share a mapping, others have their own" <<'P'
same(live, {"device": (1, 1000), "pitched": (1, 3072), "managed": (1, 2000), "async": (2, 7000),
    "mapped": (2, 4 << 20), "array": (1, 16000), "handles": (3, 6 << 20), "host": (1, 6000),
    "host_registered": (1, 5000), "imported": (2, (2 << 20) + 4096), "imported_handles": (1, 0),
    "mappings": (3, 66 * MIB)})
same([shape(s) for s in segments if s["device"] == 0], [
    (False, 0, ["+2048"]),                                    # managed: no mapping is asked for
    (False, 0, ["+1024", "+3072", str(4096 - 2 * MIB)]),
    (True, 1, ["+3072", str(3072 - 32 * MIB)]),
    (True, 2, ["+4096", str(4096 - 32 * MIB)]),
])
same(actions(), {"segment_alloc": 2, "segment_map": 2, "alloc": 5})
same([(p["id"], p["reserved_bytes"], p["used_bytes"]) for p in capture["pools"]],
     [(2, 32 * MIB, 3000), (3, 32 * MIB, 4000)])
same(devices[0]["first_used_bytes"], CONTEXT)
P
fresh
FAKE_CUDA_OLD=1 load kinds
holds "a driver that tells of no mappings: a segment each" <<'P'
same([shape(s)[2] for s in segments if s["device"] == 0],
     [["+2048"], ["+1024"], ["+3072"], ["+3072"], ["+4096"]])
same(actions(), {"segment_alloc": 5, "alloc": 5})
same(capture["pools"], [])
P

fresh
load pools
holds "pools are segments with what they hold back" <<'P'
pool = [p for p in capture["pools"] if p["handle"] == 0x60][0]
own = [p for p in capture["pools"] if p["handle"] == 0x50][0]
same((pool["reserved_bytes"], pool["used_bytes"]), (96 * MIB, 20 * MIB + 512))
same((own["reserved_bytes"], own["used_bytes"]), (64 * MIB, 40 * MIB))
same(sum(s["total_size"] for s in segments), 160 * MIB)
same(used["used"], 160 * MIB + CONTEXT)
same(devices[0]["counted_bytes"], 160 * MIB)
same(capture["unknown_frees"], 0)
P

fresh
load graph
holds "nodes of graphs, and what the driver keeps for them" <<'P'
same(live["graph_nodes"], (1, 3 * MIB))
same(devices[0]["graph_bytes"], 6 * MIB)
same(devices[0]["unaccounted_bytes"], CONTEXT)
same(used["used"], CONTEXT + 6 * MIB)
same((segments, actions() if d["device_traces"] else {}), ([], {}))
same(capture["unknown_frees"], 0)
P

fresh
load handles
holds "physical memory lives while a handle or a mapping does" <<'P'
same(live, {"mapped": (1, 4 * MIB), "handles": (1, 8 * MIB)})
same(devices[0]["counted_bytes"], 12 * MIB)
same(used["used"], CONTEXT + 12 * MIB)
P

fresh
load imported
holds "memory of others is listed and not counted" <<'P'
same(live, {"imported": (2, 4096 + 65536), "imported_handles": (1, 70000)})
same((segments, [s["counted_bytes"] for s in capture["devices"]]), ([], [0]))
P

fresh
load context
holds "a context takes what was bound to it" <<'P'
same([shape(s)[2] for s in segments], [["+56832", str(56832 - 2 * MIB)]])
same(actions(), {"segment_alloc": 2, "alloc": 3, "free_requested": 2, "free_completed": 2,
                 "segment_free": 1})
P
fresh
load reset
holds "a reset takes memory and pinned memory, and leaves pools and handles" <<'P'
same(live, {"async": (1, 3 * MIB), "handles": (1, 2 * MIB), "mappings": (1, 32 * MIB)})
same(d["host_segments"], [])
P
fresh
load stuck
holds "a free that fails is taken back with its mapping" <<'P'
same([shape(s)[2] for s in segments], [["+5242880", "-1048576"]])
same(actions(), {"segment_alloc": 2, "alloc": 2, "free_requested": 1, "free_completed": 1,
                 "segment_free": 1})
P

fresh
record --max-entries=64 -o x.pickle -- "$work/load" many
check "a full table does not fail the program" [ $? -eq 0 ]
holds "a full table is told of" <<'P'
# 896 of 1,024 places: 2 mappings of 512 blocks and 894 blocks; the third mapping found none. A reader
# applies the newest event again: one block more.
same(capture["table_full"], 1500 + 3 - 896)
same((live["device"], live["mappings"]), ((895, 895 * 4096), (2, 4 * MIB)))
same(capture["unknown_frees"], 100)
P

fresh
load churn 5000
holds "four threads: in the end the driver holds what was counted" <<'P'
same(devices[0]["counted_bytes"] + CONTEXT, used["used"])
same(devices[0]["counted_bytes"], 32 * MIB)  # what the last free leaves to its pool
same(capture["table_full"], 0)
same(capture["unknown_frees"], 0)
P
echo "1..$n"
