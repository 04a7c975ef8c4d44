"""Training steps of a small network, in which forward, backward and the optimizer's step are compiled."""

import torch
from torch import nn

from examples.torch_compile import training


def make_model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 10))


def data() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.randn(128, 64), torch.randint(0, 10, (128,))


def main() -> None:
    training.train("mlp", make_model(), nn.functional.cross_entropy, *data())


if __name__ == "__main__":
    main()
