"""A convolutional network, forward and backward. Convolutions stay torch's; what is between them becomes kernels."""

import torch
from torch import nn


def make_model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip


def gradients(model: nn.Module, run: nn.Module, x: torch.Tensor, wanted: torch.Tensor) -> list[torch.Tensor]:
    loss = nn.functional.cross_entropy(run(x), wanted)
    return [loss.detach(), *torch.autograd.grad(loss, list(model.parameters()))]


def main() -> None:
    model = make_model()
    x, wanted = torch.randn(8, 3, 32, 32), torch.randint(0, 10, (8,))
    ours = gradients(model, torch.compile(model, backend="blockdsl"), x, wanted)
    eager = gradients(model, model, x, wanted)
    error = max((a - b).abs().max().item() for a, b in zip(ours, eager, strict=True))
    print(f"conv_net, loss {ours[0]:.3f}, {len(ours) - 1} gradients: largest error {error:.1e}")


if __name__ == "__main__":
    main()
