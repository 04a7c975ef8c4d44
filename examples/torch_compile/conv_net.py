"""Training steps of a convolutional network. Torch computes convolutions; other ops become kernels."""

import torch
from torch import nn

from examples.torch_compile.training import train


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip
    train("conv_net", model, nn.functional.cross_entropy, torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,)))


if __name__ == "__main__":
    main()
