"""Training steps of a network, compiled and eager: forward, backward and the optimizer's step."""

import copy
from collections.abc import Callable

import torch
from torch import nn


def losses(
    model: nn.Module, loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], x: torch.Tensor,
    wanted: torch.Tensor, compiled: bool, steps: int = 5,
) -> list[float]:  # fmt: skip
    """Trains the model for some steps, and returns the losses."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
    forward = torch.compile(model, backend="blockdsl") if compiled else model
    step = torch.compile(optimizer.step, backend="blockdsl") if compiled else optimizer.step
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss(forward(x), wanted)
        value.backward()
        step()
        found.append(value.item())
    return found


def train(
    name: str, model: nn.Module, loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], x: torch.Tensor,
    wanted: torch.Tensor,
) -> None:  # fmt: skip
    """Trains the compiled model and an eager copy, and prints the difference of the losses."""
    other = copy.deepcopy(model)
    ours, eager = losses(model, loss, x, wanted, compiled=True), losses(other, loss, x, wanted, compiled=False)
    error = max(abs(a - b) for a, b in zip(ours, eager, strict=True))
    print(f"{name}, {len(ours)} steps, loss {ours[0]:.3f} to {ours[-1]:.3f}: largest error {error:.1e}")
