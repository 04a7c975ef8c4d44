"""A layer of a transformer's encoder, forward and backward: attention, two layer norms and a feed-forward network."""

import torch
from torch import nn


def make_model() -> nn.Module:
    torch.manual_seed(0)
    return nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, activation="gelu", batch_first=True)


def gradients(model: nn.Module, run: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    out = run(x)
    return [out.detach(), *torch.autograd.grad(out.square().mean(), list(model.parameters()))]


def main() -> None:
    model, x = make_model(), torch.randn(4, 50, 128)
    ours = gradients(model, torch.compile(model, backend="blockdsl", fullgraph=True), x)
    eager = gradients(model, model, x)
    error = max((a - b).abs().max().item() for a, b in zip(ours, eager, strict=True))
    print(f"transformer_layer, {len(ours) - 1} gradients: largest error {error:.1e}")


if __name__ == "__main__":
    main()
