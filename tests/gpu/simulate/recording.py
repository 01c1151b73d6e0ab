# SPDX-License-Identifier: MIT
"""recording.py -- what the workloads share: history on, work, then a snapshot and the statistics.

A workload is a function without arguments. It runs once, under the settings of
PYTORCH_CUDA_ALLOC_CONF and the limit of WORKLOAD_FRACTION (0: none), and leaves NAME.pickle.zst (or
.gz where there is no zstd program) and NAME.stats.json beside it.
"""
import gzip
import json
import os
import pickle
import shutil
import subprocess
import sys

import torch


def compress(path):
    """Replace a file by its compressed form."""
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", "-f", "--rm", path], check=True)
        return
    with open(path, "rb") as plain, gzip.open(path + ".gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(path)


def record(workload):
    """Run `workload` from an empty device and write down what the allocator did."""
    out = sys.argv[1]
    fraction = float(os.environ.get("WORKLOAD_FRACTION", "0"))
    torch.manual_seed(7)
    torch.cuda.init()
    total = torch.cuda.mem_get_info(0)[1]
    if fraction:
        torch.cuda.set_per_process_memory_fraction(fraction, 0)
    # Without stacks files stay small, and nothing here needs them.
    torch.cuda.memory._record_memory_history(context=None, max_entries=2_000_000)
    died = False
    try:
        workload()
        torch.cuda.synchronize()
    except torch.OutOfMemoryError as error:
        died = True
        print(str(error).split(". ", maxsplit=1)[0], file=sys.stderr)
    stats = torch.cuda.memory_stats(0)
    snapshot = torch.cuda.memory._snapshot()
    with open(out + ".pickle", "wb") as f:
        pickle.dump(snapshot, f)
    compress(out + ".pickle")
    wanted = ("reserved_bytes.all.", "allocated_bytes.all.", "active_bytes.all.",
              "requested_bytes.all.", "num_")
    kept = {k: v for k, v in sorted(stats.items()) if k.startswith(wanted)}
    kept.update(died=died, fraction=fraction, device_total=total, torch=torch.__version__,
                settings=os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""),
                device=torch.cuda.get_device_name(0))
    with open(out + ".stats.json", "w", encoding="utf-8") as f:
        json.dump(kept, f, indent=1)
        f.write("\n")
