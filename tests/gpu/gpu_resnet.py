# SPDX-License-Identifier: MIT
"""gpu_resnet.py -- a ResNet-50 training loop for tests/gpu/run.sh, recorded in every second run: a line
of milliseconds a step without and with for each pair. Arguments: the recorder's library, how many runs."""

import ctypes
import sys
import time

import torch
from torchvision import models

BATCH, WARM, STEPS = 64, 3, 15

library = ctypes.CDLL(sys.argv[1])
library.vramscope_capture_start.argtypes = [ctypes.c_void_p]
library.vramscope_capture_start.restype = ctypes.c_bool
torch.manual_seed(0)
model = models.resnet50().cuda()
batch = torch.randn(BATCH, 3, 224, 224, device="cuda")
labels = torch.randint(0, 1000, (BATCH,), device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
loss_function = torch.nn.CrossEntropyLoss()


def run():
    for step in range(WARM + STEPS):
        if step == WARM:
            torch.cuda.synchronize()
            began = time.perf_counter()
        loss_function(model(batch), labels).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / STEPS * 1000


def recorded_run():
    assert library.vramscope_capture_start(None)
    try:
        return run()
    finally:
        library.vramscope_capture_stop()


run()
for number in range(int(sys.argv[2])):
    # Which is first changes from pair to pair: what drifts meets both alike.
    first, second = (run, recorded_run) if number % 2 == 0 else (recorded_run, run)
    pair = {first: first(), second: second()}
    print(f"{pair[run]:.4f} {pair[recorded_run]:.4f}", flush=True)
