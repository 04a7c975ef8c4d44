"""Training steps of a small network: forward and backward are compiled, and so is the optimiser's step."""

import copy

import torch
from torch import nn


def make_model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 10))


def train(model: nn.Module, compiled: bool, steps: int = 5) -> list[float]:
    """The losses of some steps."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
    forward = torch.compile(model, backend="blockdsl") if compiled else model
    step = torch.compile(optimizer.step, backend="blockdsl") if compiled else optimizer.step
    torch.manual_seed(1)
    x, wanted = torch.randn(128, 64), torch.randint(0, 10, (128,))
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(forward(x), wanted)
        loss.backward()
        step()
        losses.append(loss.item())
    return losses


def main() -> None:
    model = make_model()
    eager, ours = train(copy.deepcopy(model), compiled=False), train(model, compiled=True)
    error = max(abs(a - b) for a, b in zip(eager, ours, strict=True))
    print(f"mlp, {len(ours)} steps, loss {ours[0]:.3f} to {ours[-1]:.3f}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
