"""Tests of torch's version counters after stores of stock kernels: at first and later launches, and in graphs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def double(x, y, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(y + at, 2 * tl.load(x + at))


def launch(x: torch.Tensor, y: torch.Tensor) -> None:
    double[(1,)](x, y, B=16)


def launch_both(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    double[(1,)](x, y, B=16)
    return y + 1


WAYS: dict[str, Callable[[torch.Tensor, torch.Tensor], object]] = {
    "subscript": launch,
    "run": lambda x, y: double.run(x, y, B=16, grid=(1,), warmup=False),
    "reinterpreted": lambda x, y: double[(1,)](x, triton.reinterpret(y, tl.float32), B=16),
    "graph": torch.compile(launch_both, fullgraph=True),
}


@pytest.mark.parametrize("way", WAYS)
def test_autograd_refuses_modified_tensors(way: str) -> None:
    double.device_caches.clear()
    vars(double)["_shortcut"] = None
    for _ in range(4):
        x = torch.ones(16, requires_grad=True)
        saved = x * 2
        loss = (saved * saved).sum()
        before = saved._version
        WAYS[way](torch.ones(16), saved.detach())
        assert saved._version > before
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
        loss = (saved * saved).sum()
        WAYS[way](saved.detach(), torch.zeros(16))
        loss.backward()
