# SPDX-License-Identifier: MIT
"""workload_streams.py -- batches of random length are made on a side stream and used on another.

record_stream keeps each batch's memory back until the consumer is through, so frees complete later
than they were asked for. The synchronisation in every step makes that moment the same each time.
"""
import random

import torch

from recording import record

WIDTH = 1024
STEPS = 150


def workload():
    lengths = random.Random(3)
    side = torch.cuda.Stream()
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.ReLU(),
                                torch.nn.Linear(4 * WIDTH, WIDTH)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for step in range(STEPS):
        n = lengths.randrange(256, 8192)
        with torch.cuda.stream(side):
            batch = torch.randn(n, WIDTH, device="cuda")
            batch = batch * 2 - 1
        torch.cuda.current_stream().wait_stream(side)
        batch.record_stream(torch.cuda.current_stream())
        loss = model(batch).square().mean()
        del batch  # while the forward pass may still read it
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=step % 3 == 0)
        torch.cuda.synchronize()
    torch.cuda.synchronize()


if __name__ == "__main__":
    record(workload)
