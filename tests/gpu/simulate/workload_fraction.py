# SPDX-License-Identifier: MIT
"""workload_fraction.py -- embeddings of ever larger batches, a few rows of each kept.

What is kept (2.5 MiB a batch) is cut from the cache of the batch before and pins its segment, which
no larger batch fits into. Pages of an expandable range are not pinned like that.
"""
import torch

from recording import record

WIDTH = 4096
STEPS = 40


@torch.no_grad()
def workload():
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU(),
                                torch.nn.Linear(WIDTH, WIDTH)).cuda()
    kept = []
    for step in range(STEPS):
        batch = torch.randn(2048 + 256 * step, WIDTH, device="cuda")
        embedded = model(batch)
        kept.append(embedded[:160].clone())
        del batch, embedded
    torch.cuda.synchronize()


if __name__ == "__main__":
    record(workload)
