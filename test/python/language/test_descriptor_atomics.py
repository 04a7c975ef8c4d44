"""Tests of updates through tensor descriptors: every kind and type, at the edges of an array, from many programs."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl

INTEGERS = [torch.int32, torch.uint32, torch.int64, torch.uint64]
HALVES = [torch.float16, torch.bfloat16]


@blockdsl.jit
def update(x_ptr, value_ptr, m, n, row, column, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [m, n], [n, 1], [M, N])
    value = tl.make_tensor_descriptor(value_ptr, [M, N], [N, 1], [M, N]).load([0, 0])
    if OP == "add":
        x.atomic_add([row, column], value)
    elif OP == "min":
        x.atomic_min([row, column], value)
    elif OP == "max":
        x.atomic_max([row, column], value)
    elif OP == "and":
        x.atomic_and([row, column], value)
    elif OP == "or":
        x.atomic_or([row, column], value)
    else:
        x.atomic_xor([row, column], value)


CASES = [
    *(("add", dtype) for dtype in (torch.int32, torch.uint32, torch.uint64, torch.float32, *HALVES)),
    *((op, dtype) for op in ("min", "max") for dtype in (*INTEGERS, *HALVES)),
    *((op, dtype) for op in ("and", "or", "xor") for dtype in INTEGERS),
]


@pytest.mark.cpu_only  # A GPU's copies begin at multiples of 16 bytes.
@pytest.mark.parametrize(("op", "dtype"), CASES)
@pytest.mark.parametrize("start", [(0, 0), (3, 40), (-3, -5), (100, 0)])
def test_updates(run: Run, op: str, dtype: torch.dtype, start: tuple[int, int]) -> None:
    generator = torch.Generator().manual_seed(len(op))
    if dtype.is_floating_point:
        x, value = numbers(dtype, 9, 50), numbers(dtype, 8, 16)
    else:
        bits = torch.iinfo(dtype).bits
        draw = [torch.randint(-(2**63), 2**63 - 1, shape, generator=generator) for shape in ((9, 50), (8, 16))]
        x, value = (torch.from_numpy((each.numpy() >> (64 - bits)).astype(str(dtype)[6:])) for each in draw)
    meaning = {
        "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }[op]  # fmt: skip
    wide = torch.float64 if dtype.is_floating_point else dtype
    expected, operand = x.to(wide).numpy().copy(), value.to(wide).numpy()
    for i, j in np.ndindex(8, 16):
        row, column = start[0] + i, start[1] + j
        if 0 <= row < 9 and 0 <= column < 50:
            expected[row, column] = meaning(expected[row, column], operand[i, j])
    run(update, (1,), x, value, 9, 50, *start, OP=op, M=8, N=16)
    assert torch.equal(x, torch.from_numpy(expected).to(dtype))


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("op", ["min", "max"])
def test_nan_is_ignored(run: Run, op: str, dtype: torch.dtype) -> None:
    nan = float("nan")
    x = torch.tensor([nan, 1.0, nan, 2.0] * 16, dtype=dtype).reshape(4, 16)
    value = torch.tensor([1.0, nan, nan, 3.0] * 16, dtype=dtype).reshape(4, 16)
    run(update, (1,), x, value, 4, 16, 0, 0, OP=op, M=4, N=16)
    expected = torch.tensor([1.0, 1.0, nan, 2.0 if op == "min" else 3.0] * 16, dtype=dtype).reshape(4, 16)
    torch.testing.assert_close(x, expected, rtol=0, atol=0, equal_nan=True)


@blockdsl.jit
def sum_of_rows(x, out, N: tl.constexpr):
    out.atomic_add([0, 0], x.load([tl.program_id(0), 0]))


def test_many_programs_add_to_one_block(run: Run) -> None:
    from blockdsl.tools.tensor_descriptor import TensorDescriptor

    x, out = numbers(torch.float32, 200, 64), torch.zeros(1, 64)
    described = (TensorDescriptor.from_tensor(each, [1, 64]) for each in (x, out))
    run(sum_of_rows, (200,), *described, N=64)
    check(out, x.double().sum(0, keepdim=True), scale=100)
