"""Tensor descriptors as arguments of a launch: ours, Triton's, and whatever has their attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from reference_checks import Run, check, numbers
from triton.tools.tensor_descriptor import TensorDescriptor as TritonTensorDescriptor

import blockdsl
import blockdsl.language as tl
from blockdsl.tools.tensor_descriptor import TensorDescriptor


@blockdsl.jit
def doubled(x, out, row, column):
    out.store([row, column], x.load([row, column]) * 2)


@dataclass
class Described:
    """An object with the attributes that a launch reads, and no others."""

    base: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block_shape: tuple[int, ...]
    padding: str


@pytest.mark.parametrize("kind", [TensorDescriptor, TritonTensorDescriptor, Described])
@pytest.mark.parametrize("start", [(0, 0), (16, 48), pytest.param((-3, -8), marks=pytest.mark.cpu_only)])
def test_every_kind_of_descriptor(run: Run, kind: Any, start: tuple[int, int]) -> None:
    x, out = numbers(torch.float32, 30, 80)[:, :72], torch.zeros(30, 72)
    run(doubled, (1,), kind(x, (30, 72), (80, 1), (16, 32), "zero"), kind(out, (30, 72), (72, 1), (16, 32), "zero"),
        *start)  # fmt: skip
    expected = torch.zeros(30, 72)
    window = tuple(slice(max(at, 0), at + size) for at, size in zip(start, (16, 32), strict=True))
    expected[window] = x[window] * 2
    assert torch.equal(out, expected)


@blockdsl.jit
def copied(x, out_ptr, start):
    block = x.load([start])
    tl.static_assert(x.block_shape[0] == block.shape[0])
    tl.store(out_ptr + tl.arange(0, x.block_shape[0]), block)


def test_padding_and_block_belong_to_the_launch(run: Run) -> None:
    x = numbers(torch.float32, 20)
    desc = TensorDescriptor.from_tensor(x, [8])
    for padding, size in (("zero", 8), ("nan", 8), ("nan", 16)):
        desc.padding, desc.block_shape = padding, [size]
        out = torch.empty(size)
        run(copied, (1,), desc, out, 16)
        expected = torch.full((size,), 0.0 if padding == "zero" else float("nan"))
        expected[:4] = x[16:]
        torch.testing.assert_close(out, expected, rtol=0, atol=0, equal_nan=True)


@blockdsl.jit
def sizes(x, out_ptr):
    tl.store(out_ptr, x.shape[0] + 100 * x.shape[1] + 10000 * x.strides[0] + 1000000 * x.strides[1])


def test_shape_and_strides(run: Run) -> None:
    out = torch.zeros(1, dtype=torch.int64)
    run(sizes, (1,), TensorDescriptor(numbers(torch.float32, 7, 32), [5, 16], [32, 1], [4, 4]), out)
    assert out.item() == 5 + 1600 + 320000 + 1000000


@blockdsl.jit
def product(a, b, c, k):
    rows: tl.constexpr = a.block_shape[0]
    columns: tl.constexpr = b.block_shape[1]
    row, column = tl.program_id(0) * rows, tl.program_id(1) * columns
    acc = tl.zeros((rows, columns), tl.float32)
    for at in range(0, k, a.block_shape[1]):
        acc = tl.dot(a.load([row, at]), b.load([at, column]), acc, input_precision="ieee")
    c.store([row, column], acc.to(c.dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_matmul(run: Run, dtype: torch.dtype) -> None:
    m, n, k = 70, 48, 104
    a, b = numbers(dtype, m, k, low=-1, high=1), numbers(dtype, k, n, low=-1, high=1)
    c = torch.zeros(m, n, dtype=dtype)
    run(product, (blockdsl.cdiv(m, 32), blockdsl.cdiv(n, 32)), TensorDescriptor.from_tensor(a, [32, 16]),
        TensorDescriptor.from_tensor(b, [16, 32]), TensorDescriptor.from_tensor(c, [32, 32]), k)  # fmt: skip
    check(c, a.double() @ b.double(), scale=8)
