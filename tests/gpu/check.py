# SPDX-License-Identifier: MIT
"""check.py -- one part of run.sh: is the snapshot what the program said and the driver saw?

    check.py PART SNAPSHOT SAID

Prints one line for the table; a sum that differs is an AssertionError.
"""

import pickle
import sys

MIB = 1 << 20


def mib(n):
    return f"{n / MIB:,.1f} MiB"


def main():
    part, path, said_path = sys.argv[1:4]
    snapshot = pickle.load(open(path, "rb"))
    said = {}
    for line in open(said_path):
        words = line.split()
        if len(words) == 2 and words[1].isdigit():
            said[words[0]] = int(words[1])
    capture = snapshot["capture"]
    live = {kind: v["bytes"] for kind, v in capture["live"].items()}
    device = capture["devices"][0]
    segments = snapshot["segments"]
    traces = snapshot["device_traces"]
    total = sum(s["total_size"] for s in segments)
    for s in segments:
        assert sum(b["size"] for b in s["blocks"]) == s["total_size"], s
    names = {f["name"] for s in segments for f in s["frames"][:1]}
    assert not any("libcupti" in n or "vramscope" in n for n in names), names
    assert capture["unknown_frees"] == 0, capture["unknown_frees"]
    assert capture["table_full"] == 0

    told = []
    for kind in ("device", "pitched", "managed", "array", "host", "host_registered", "async",
                 "mapped", "handles", "graph_nodes"):
        if kind in said:
            assert live.get(kind, 0) == said[kind], (kind, live.get(kind), said[kind])
            told.append(kind)
    if "graph_bytes" in said:
        assert device["graph_bytes"] == said["graph_bytes"], (device, said)
    if "used_end" in said:
        used = said["used_end"] - said["used_start"]
        counted = device["counted_bytes"] + device["graph_bytes"]
        assert used == counted, f"cuMemGetInfo {used}, counted {counted}, live {live}"
        told.append(f"sum {mib(counted)} as cuMemGetInfo")

    if part == "pools":
        reserved = {p["id"]: p["reserved_bytes"] for p in capture["pools"]}
        assert said["standard"] in reserved.values() and said["keeping"] in reserved.values()
        assert total == device["counted_bytes"], (total, device)
        told.append(f"{len(reserved)} pools hold {mib(sum(reserved.values()))}")
    if part in ("oom", "torch_oom"):
        ooms = [e for e in traces[0] if e["action"] == "oom"]
        assert ooms and all("device_free" in e for e in ooms)
        told.append(f"{len(ooms)} oom events, {mib(ooms[0]['device_free'])} free")
        if part == "oom":
            free = device["total_bytes"] - said["used_end"]
            assert ooms[0]["device_free"] == free, (ooms[0]["device_free"], free)
    if "reserved" in said:
        check_torch(part, said, capture, segments, told)
    if "cuda_events" in said:
        told.append(f"the profiler saw {said['cuda_events']} CUDA events")
    if "pool_bytes" in said:
        # CuPy's and Numba's own allocations are cuMemAllocs; libraries' have other callers.
        assert live.get("device", 0) >= said["pool_bytes"], (live, said)
        own = sum(b["requested_size"] for s in segments for b in s["blocks"]
                  if any(said_by in f["filename"] for f in b["frames"] for said_by in
                         ("cupy", "cuda_bindings", "cuda/bindings", "numba", "libffi", "_ctypes")))
        assert own == said["pool_bytes"], (own, said["pool_bytes"], live)
        told.append(f"{mib(own)} as it says itself")
    if "jax_pool_bytes" in said:
        # XLA maps its pool piece by piece.
        assert live["mapped"] == said["jax_pool_bytes"], (live, said)
        told.append(f"XLA's pool of {mib(live['mapped'])} as it says itself")
    told.append(f"{capture['events']} events, {mib(total)} in {len(segments)} segments")
    if "unaccounted_bytes" in device:
        told.append(f"{mib(device['unaccounted_bytes'])} unaccounted")
    print("; ".join(told))


def check_torch(part, said, capture, segments, told):
    if part == "torch_async":
        pools = sum(p["reserved_bytes"] for p in capture["pools"])
        used = sum(p["used_bytes"] for p in capture["pools"])
        assert pools == said["reserved"], (pools, said["reserved"])
        assert used == said["allocated"], (used, said["allocated"])
        told.append(f"pools {mib(pools)} as memory_reserved(), {mib(used)} as memory_allocated()")
        return
    own = [s for s in segments
           if s["is_expandable"] or any("libc10_cuda" in f["filename"] for f in s["frames"])]
    other = [s for s in segments if s not in own]
    own, other = (sum(s["total_size"] for s in group) for group in (own, other))
    assert own == said["reserved"], (own, said["reserved"])
    told.append(f"PyTorch's {mib(own)} as memory_reserved(), {mib(other)} of others")


if __name__ == "__main__":
    main()
