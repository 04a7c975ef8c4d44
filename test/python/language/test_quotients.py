"""Tests of quotients of floats: rounded as IEEE division rounds them, for blocks, scalars and constants as divisors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

Array = np.ndarray[Any, Any]
ROWS, COLUMNS = 32, 256
FLOATS = {torch.float32: "u4", torch.float64: "u8", torch.float16: "u2"}
EDGES = [0.0, 2.0**-149, 2.0**-127, 2.0**-126, 1.5 * 2.0**-126, 2.0**-102, 1 / 3, 0.7, 1.0, 1.1, 41.0, 448.0, 2.0**102,
         2.0**126, 1.5 * 2.0**126, 2.0**127, float(np.finfo(np.float32).max), np.inf, np.nan]  # fmt: skip


@blockdsl.jit
def by_argument(x_ptr, out_ptr, d, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at) / d)


@blockdsl.jit
def by_loaded_number(x_ptr, d_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    for row in range(ROWS):
        at = row * N + tl.arange(0, N)
        tl.store(out_ptr + at, tl.load(x_ptr + at) / tl.load(d_ptr + row))


@blockdsl.jit
def by_number_outside_of_the_loop(x_ptr, d_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0)
    d = tl.load(d_ptr + row)
    for start in range(0, N, 64):
        at = row * N + start + tl.arange(0, 64)
        q = tl.load(x_ptr + at)
        q /= d
        tl.store(out_ptr + at, q)


@blockdsl.jit
def by_column(x_ptr, d_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    row = tl.arange(0, ROWS)[:, None]
    at = row * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.fdiv(tl.load(x_ptr + at), tl.load(d_ptr + row)))


@blockdsl.jit
def by_reduction(x_ptr, d_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    row = tl.arange(0, ROWS)[:, None]
    at = row * N + tl.arange(0, N)[None, :]
    d = tl.max(tl.broadcast_to(tl.load(d_ptr + row), (ROWS, N)), 1, keep_dims=True).to(x_ptr.dtype.element_ty)
    tl.store(out_ptr + at, tl.load(x_ptr + at) / d)


@blockdsl.jit
def by_row_of_a_loop(x_ptr, d_ptr, out_ptr, ROWS: tl.constexpr, N: tl.constexpr):
    column = tl.arange(0, ROWS)
    d = tl.load(d_ptr + column)
    for line in range(N):
        at = column * N + line
        tl.store(out_ptr + at, tl.load(x_ptr + at) / d)


def drawn(dtype: torch.dtype, *shape: int) -> Array:
    kind = f"f{torch.finfo(dtype).bits // 8}"
    bits = np.random.default_rng(11).integers(0, 1 << torch.finfo(dtype).bits, shape, dtype=FLOATS[dtype])
    return bits.view(kind)


def operands(dtype: torch.dtype) -> tuple[Array, Array]:
    """Random bits, numbers of one binade, multiples of the divisor, and special values, in each row."""
    x, d = drawn(dtype, ROWS, COLUMNS), drawn(dtype, ROWS + 1)[1:].copy()
    random = np.random.default_rng(12)
    with np.errstate(all="ignore"):
        d[: len(EDGES)] = np.array(EDGES, d.dtype)
        d[len(EDGES) :: 2] = random.uniform(1, 2, len(d[len(EDGES) :: 2]))
        x[:, 64:128] = random.uniform(1, 2, (ROWS, 64))
        x[:, 128:192] = np.arange(64) * d[:, None]
        x[:, 192 : 192 + len(EDGES)] = np.array(EDGES, d.dtype)
        x[:, 192 + len(EDGES) : 192 + 2 * len(EDGES)] = -np.array(EDGES, d.dtype)
    return x, d


def assert_quotients(got: Array, x: Array, d: Array, device: str) -> None:
    with np.errstate(all="ignore"):
        expected = (x / d).astype(got.dtype)
    if device == "cuda" and got.dtype == np.float32:
        sizes = np.abs(np.stack(np.broadcast_arrays(x, d, expected)))
        ordinary = ((sizes > 2.0**-100) & (sizes < 2.0**100)).all(0)
        np.testing.assert_array_max_ulp(got[ordinary], expected[ordinary], 2)
        return
    bits = f"u{got.dtype.itemsize}"
    wrong = (got.view(bits) != expected.view(bits)) & ~(np.isnan(got) & np.isnan(expected))
    index = tuple(np.argwhere(wrong)[0]) if wrong.any() else ()
    assert not wrong.any(), (index, x[index], np.broadcast_to(d, x.shape)[index], got[index], expected[index])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("kernel", "programs"),
    [(by_loaded_number, 1), (by_number_outside_of_the_loop, ROWS), (by_column, 1), (by_reduction, 1),
     (by_row_of_a_loop, 1)],
)  # fmt: skip
def test_quotients_by_one_number_for_a_block(
    run: Run, device: str, kernel: Any, programs: int, dtype: torch.dtype
) -> None:
    x, d = operands(dtype)
    if kernel is by_reduction:
        d = np.where(np.isnan(d), np.ones((), d.dtype), d)
    out = torch.zeros(ROWS, COLUMNS, dtype=dtype)
    run(kernel, (programs,), torch.from_numpy(x), torch.from_numpy(d), out, ROWS=ROWS, N=COLUMNS)
    assert_quotients(out.numpy(), x, d[:, None], device)


@pytest.mark.parametrize("divisor", [*EDGES, -0.0, -41.0, -(2.0**-149), -np.inf])
def test_quotients_by_an_argument(run: Run, device: str, divisor: float) -> None:
    x = operands(torch.float32)[0]
    out = torch.zeros(x.size)
    run(by_argument, (1,), torch.from_numpy(x.reshape(-1)), out, divisor, N=x.size)
    assert_quotients(out.numpy(), x.reshape(-1), np.full(x.size, divisor, np.float32), device)


@blockdsl.jit
def by_constant(x_ptr, out_ptr, D: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at) / D)


@pytest.mark.parametrize("divisor", [3.0, 41.0, 2.0**-140, 8.0])
def test_quotients_by_a_constant(run: Run, device: str, divisor: float) -> None:
    x = operands(torch.float32)[0].reshape(-1)
    out = torch.zeros(x.size)
    run(by_constant, (1,), torch.from_numpy(x), out, D=divisor, N=x.size)
    assert_quotients(out.numpy(), x, np.full(x.size, divisor, np.float32), device)


@blockdsl.jit
def reciprocals(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, 1 / tl.load(x_ptr + at))


def test_reciprocals(run: Run, device: str) -> None:
    x = operands(torch.float32)[0].reshape(-1)
    out = torch.zeros(x.size)
    run(reciprocals, (1,), torch.from_numpy(x), out, N=x.size)
    assert_quotients(out.numpy(), np.ones_like(x), x, device)


@blockdsl.jit
def to_8_bits(x_ptr, out_ptr, scale_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    scale = tl.max(tl.abs(x), 0) / 448.0
    tl.store(scale_ptr, scale)
    tl.store(out_ptr + at, (x / scale).to(tl.float8e4nv))


def test_codes_of_8_bits_at_ties(run: Run) -> None:
    # 1.3671875 / (3.0625 / 448) is 200, half way between two codes.
    x = torch.tensor([3.0625, -1.3671875, 0.5, 1.75] + [0.25] * 124)
    out, scale = torch.empty(128, dtype=torch.float8_e4m3fn), torch.empty(1)
    run(to_8_bits, (1,), x, out, scale, N=128)
    assert torch.equal(out.float(), (x / scale).to(torch.float8_e4m3fn).float())


@blockdsl.jit
def bfloat_quotients(x_ptr, out_ptr, d, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, (x / d.to(x.dtype)).to(x.dtype))


@pytest.mark.parametrize("divisor", [3.0, 41.0, 0.7, 2.0**-130])
def test_quotients_of_bfloat16(run: Run, divisor: float) -> None:
    x = torch.arange(-(2**15), 2**15, 7, dtype=torch.int32).to(torch.int16)[:8192].view(torch.bfloat16)
    out = torch.zeros(8192, dtype=torch.bfloat16)
    run(bfloat_quotients, (1,), x, out, divisor, N=8192)
    expected = (x.float() / torch.tensor(divisor, dtype=torch.bfloat16).float()).to(torch.bfloat16)
    torch.testing.assert_close(out, expected, rtol=0, atol=0, equal_nan=True)
