# SPDX-License-Identifier: MIT
"""profiled.py -- the same training under torch.profiler, spans included: both kinds of file.

The snapshot and the profiler's trace are of the same steps; vramscope opens either.
"""

import torch
from torch.autograd.profiler import record_function
from torchvision import models

import vramscope


def train(iterations=5, device="cuda:0"):
    vramscope.start("profiled", on_exit=False)
    model = models.resnet50().to(device)
    batch = torch.randn(1, 3, 224, 224, device=device)
    labels = torch.rand_like(model(batch))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_function = torch.nn.CrossEntropyLoss()

    with torch.profiler.profile(
        activities=[
            torch.profiler.ProfilerActivity.CPU,
            torch.profiler.ProfilerActivity.CUDA,
        ],
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
    ) as profiler:
        for _ in range(iterations):
            with vramscope.step():
                with record_function("forward_pass"):
                    prediction = model(batch)
                with record_function("backward_pass"):
                    loss_function(prediction, labels).backward()
                with record_function("optimizer_step"):
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=True)
            profiler.step()
    path = vramscope.dump()
    vramscope.stop()
    if path:
        profiler.export_chrome_trace(path.replace(".pickle", ".trace.json.gz"))


if __name__ == "__main__":
    train()
