# SPDX-License-Identifier: MIT
"""workload_fraction.py -- ever larger temporaries, a little of each kept.

What is kept (12 MiB a round) is cut from the cache of the temporary before and pins its segment,
which no larger one fits into. Pages of an expandable range are not pinned like that.
"""
import torch

from recording import record

MIB = 2**20
ROUNDS = 40


def tensor(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def workload():
    kept = []
    for k in range(ROUNDS):
        temporary = tensor(200)
        del temporary
        kept.append(tensor(3))
        temporary = tensor(210 + k)
        del temporary
        kept.append(tensor(2))
        temporary = tensor(190)
        kept.append(tensor(2))
        del temporary
        temporary = tensor(300 + 40 * k)
        kept.append(tensor(5))
        del temporary
    torch.cuda.synchronize()


if __name__ == "__main__":
    record(workload)
