# SPDX-License-Identifier: MIT
"""resnet50.py -- ResNet-50 with logging, and one time-stamped snapshot at the end."""

import logging

import torch
from torchvision import models

import vramscope

logging.basicConfig(
    format="%(levelname)s:%(asctime)s %(message)s",
    level=logging.INFO,
    datefmt="%Y-%m-%d %H:%M:%S",
)


def train(iterations=5, device="cuda:0"):
    vramscope.start("resnet50", on_exit=False)
    model = models.resnet50().to(device)
    batch = torch.randn(1, 3, 224, 224, device=device)
    labels = torch.rand_like(model(batch))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    criterion = torch.nn.CrossEntropyLoss()

    for _ in range(iterations):
        with vramscope.step():
            loss = criterion(model(batch), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    vramscope.dump()
    vramscope.stop()


if __name__ == "__main__":
    train()
