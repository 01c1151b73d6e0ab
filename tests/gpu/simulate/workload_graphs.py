# SPDX-License-Identifier: MIT
"""workload_graphs.py -- two captured graphs with pools of their own between steps without graphs.

Blocks of a private pool stay there, and torch.cuda.graph empties the cache when a capture begins.
"""
import random

import torch

from recording import record

WIDTH = 2048
STEPS = 80


def capture(model, example):
    """The graph of one forward pass, its input and its output."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(3):
            model(example)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        out = model(example)
    return graph, out


def workload():
    lengths = random.Random(5)
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, 2 * WIDTH), torch.nn.GELU(),
                                torch.nn.Linear(2 * WIDTH, WIDTH)).cuda()
    warm = model(torch.randn(5000, WIDTH, device="cuda")).sum()
    del warm
    graphs = []
    for rows in (512, 3000):
        example = torch.zeros(rows, WIDTH, device="cuda")
        graphs.append((*capture(model, example), example))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    results = []
    for step in range(STEPS):
        batch = torch.randn(lengths.randrange(100, 6000), WIDTH, device="cuda")
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        graph, out, example = graphs[step % 2]
        example.normal_()
        graph.replay()
        results.append(out[:300].clone())
        del batch
    torch.cuda.synchronize()


if __name__ == "__main__":
    record(workload)
