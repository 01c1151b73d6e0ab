# SPDX-License-Identifier: MIT
"""gpu_torch.py -- a PyTorch program for tests/gpu/run.sh: a matrix product and some tensors kept, then
what PyTorch says of its memory. Argument: profiler, killed, oom, pair or none."""

import ctypes
import json
import os
import sys

import torch

what = sys.argv[1] if len(sys.argv) > 1 else ""


def dump():
    """The recorder's snapshot of this moment; at exit Python has freed much."""
    library = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])
    library.vramscope_capture_dump(os.environ["GPU_DUMP"].encode())
    print("reserved", torch.cuda.memory_reserved())
    print("allocated", torch.cuda.memory_allocated())


if what == "pair":
    # PyTorch's own snapshot of the same process, at the moment memory runs out.
    torch.cuda.memory._record_memory_history(max_entries=100_000, stacks="python")

    def on_out_of_memory(device, requested, allowed, free):
        torch.cuda.memory._dump_snapshot("torch.pickle")
        dump()
        with open("torch.observer.json", "w") as out:
            json.dump({"device": device, "alloc": requested, "device_alloc": allowed,
                       "device_free": free}, out)

    torch._C._cuda_attach_out_of_memory_observer(on_out_of_memory)
kept = [torch.ones(n * 1000000, device="cuda") for n in range(1, 20)]
a = torch.randn(4096, 4096, device="cuda")
(a @ a).sum().item()
images = torch.randn(8, 3, 64, 64, device="cuda")
torch.nn.Conv2d(3, 16, 3, device="cuda")(images).sum().item()
del kept[::2]
if what == "profiler":
    with torch.profiler.profile() as p:
        (a @ a).sum().item()
    print("cuda_events", sum("gemm" in e.key or "nvjet" in e.key for e in p.key_averages()))
if what == "killed":
    os.kill(os.getpid(), 9)
if what in ("oom", "pair"):
    try:
        while True:
            kept.append(torch.empty(6 << 30, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError as e:
        with open("torch.message.txt", "w") as out:
            out.write(str(e))
torch.cuda.synchronize()
if what != "pair":
    dump()
