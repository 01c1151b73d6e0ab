# SPDX-License-Identifier: MIT
"""basic_loop.py -- a training loop with a snapshot after each epoch."""

import torch

import vramscope

MAX_EVENTS = 100_000


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(3, 32, 7, stride=4, padding=3),
            torch.nn.ReLU(),
            torch.nn.Conv2d(32, 64, 3, stride=2, padding=1),
            torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(4),
        )
        self.head = torch.nn.Linear(64 * 16, 1000)

    def forward(self, batch):
        return self.head(self.features(batch).flatten(1))


def main():
    vramscope.start("basic_loop", max_entries=MAX_EVENTS, every=1, keep=10, on_exit=False)
    network = Network().cuda()
    batch = torch.randn(32, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (32,), device="cuda")
    optimizer = torch.optim.Adam(network.parameters())
    loss_function = torch.nn.CrossEntropyLoss()

    for _ in range(10):
        with vramscope.step():
            loss = loss_function(network(batch), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    print("\n".join(vramscope.status().get("files", [])))
    vramscope.stop()


if __name__ == "__main__":
    main()
