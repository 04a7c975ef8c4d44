"""A model with kernels of stock Triton that the tests package, and the same model without kernels."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

COLUMNS = 20


@triton.jit
def scaled(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, factor * tl.load(x_ptr + at, mask=at < n), mask=at < n)


# Blocks shorter than a row, so that a grid with one program for each row would be too small.
@triton.autotune([triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], key=["n"], restore_value=["x_ptr"])
@triton.jit
def incremented(x_ptr, n, twice, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n) + 1
    if twice:
        x += 1
    tl.store(x_ptr + at, x, mask=at < n)


@triton.jit
def halved(x_ptr, n):
    """One element after the other: each load reads the previous store."""
    for i in range(n - 1):
        tl.store(x_ptr + i + 1, 0.5 * tl.load(x_ptr + i))


@triton.jit
def column_sums(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    at, column = tl.arange(0, BLOCK), tl.program_id(0)
    x = tl.load(x_ptr + at * columns + column, mask=at < rows, other=0)
    tl.device_assert(x < 1e6, "too large to be added")
    tl.store(out_ptr + column, tl.sum(tl.sort(x)))


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(COLUMNS, COLUMNS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.layer(x))
        out, n = torch.empty_like(x), x.numel()
        scaled[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, 0.1, BLOCK=32)
        incremented[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](out, n, True)
        # An address that is no multiple of 16.
        odd = out.view(-1)[1:]
        scaled[lambda meta: (triton.cdiv(n - 1, meta["BLOCK"]),)](odd, odd, n - 1, 3.0, BLOCK=64)
        halved[(1,)](out, COLUMNS)
        sums = torch.empty(COLUMNS)
        column_sums[(COLUMNS,)](out, sums, x.shape[0], COLUMNS, BLOCK=256)
        return torch.softmax(out, 1) + sums

    def reference(self, x: torch.Tensor) -> torch.Tensor:
        """In double precision."""
        weight, bias = self.layer.weight.detach().double(), self.layer.bias.detach().double()
        out = 0.1 * torch.relu(x.double() @ weight.T + bias) + 2
        out.view(-1)[1:] *= 3
        out[0] = out[0, 0] * 0.5 ** torch.arange(COLUMNS)
        return torch.softmax(out, 1) + out.sum(0)
