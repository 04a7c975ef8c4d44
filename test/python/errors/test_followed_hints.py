"""Kernels of mistakes_of_newcomers.py, corrected by the hints of their errors."""

from __future__ import annotations

import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice


@blockdsl.jit
def corrected(x_ptr, out_ptr, n, alpha: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    total = tl.full((), 0.0, tl.float64)
    for i in range(n // 16):
        total += tl.load(x_ptr + i)
    if n > 3:
        i = n
        i = i.to(tl.int64)
    else:
        i = n.to(tl.int64)
    y = tl.full((BLOCK,), 0.0, tl.float32)
    y = tl.where(tl.arange(0, BLOCK) == 1, 2.0, y)
    is_any = tl.max((x > 0).to(tl.int32), axis=0) != 0
    first = tl.sum(tl.where(tl.arange(0, BLOCK) == 0, x, 0))
    tl.store(out_ptr, tl.sum(x, axis=0) / n)
    tl.store(out_ptr + 1, tl.sum(libdevice.tanh(tl.maximum(x, 0))) * alpha)
    tl.store(out_ptr + 2, tl.load(out_ptr + 2) + 1.0)
    tl.store(out_ptr + 3, total + i.to(tl.float64))
    tl.store(out_ptr + 4, tl.sum(y) + first)
    tl.store(out_ptr + 5, is_any.to(tl.float16))


def test_values() -> None:
    x = torch.linspace(-1, 3, 64, dtype=torch.float64)
    out = torch.zeros(8, dtype=torch.float64)
    corrected[(1,)](x, out, 64, alpha=2.5, BLOCK=64)
    expected = [x.mean(), x.relu().tanh().sum() * 2.5, 1.0, x[:4].sum() + 64, 2.0 + x[0], 1.0, 0.0, 0.0]
    torch.testing.assert_close(
        out, torch.tensor([float(each) for each in expected], dtype=torch.float64), rtol=1e-6, atol=1e-6
    )
