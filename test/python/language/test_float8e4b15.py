"""Tests of ``float8e4b15``: conversions of all its codes and all float16 values, and other uses of its bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import TypeMismatchError

CODES = torch.arange(256, dtype=torch.int32).to(torch.uint8)
HALVES = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.float16)


def meaning(codes: Any) -> Any:
    """Decodes the format: a sign, four bits of exponent with a bias of 15, three of mantissa, no infinities or NaN."""
    codes = np.asarray(codes).astype(np.int64)
    exponent, mantissa = codes >> 3 & 15, (codes & 7) / 8
    size = np.where(exponent == 0, mantissa * 2.0**-14, (1 + mantissa) * 2.0 ** (exponent - 15.0))
    return np.where(codes & 128, -size, size)


def nearest(values: Any) -> Any:
    """Returns the code with the nearest value, ties away from zero; 1.75 for larger numbers and for NaN."""
    wide = np.asarray(values).astype(np.float64)
    size = np.where(np.isnan(wide), 1.75, np.minimum(np.abs(wide), 1.75))
    known = meaning(np.arange(127))
    middles = (known[1:] + known[:-1]) / 2
    return np.searchsorted(middles, size, side="right") | np.where(np.signbit(wide), 128, 0)


@blockdsl.jit
def widened(x, out, N: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + at).to(tl.float8e4b15, bitcast=True).to(KIND))


@blockdsl.jit
def narrowed(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + at).to(tl.float8e4b15).to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("kind", ["float16", "float32", "bfloat16", "float64"])
@pytest.mark.parametrize("n", [256, 4, 2, 1])
def test_every_code_is_exact(run: Run, kind: str, n: int) -> None:
    for first in range(0, 256, n) if n > 2 else (0, 127, 129, 200, 254):
        out = torch.full((n,), 7, dtype=getattr(torch, kind))
        run(widened, (1,), CODES[first : first + n].clone(), out, n, getattr(tl, kind))
        expected = torch.from_numpy(meaning(CODES[first : first + n])).to(out.dtype)
        assert out.tolist() == expected.tolist()
        assert torch.signbit(out).tolist() == torch.signbit(expected).tolist()


@pytest.mark.parametrize("kind", [torch.float16, torch.float32])
def test_every_half_rounds_to_nearest(run: Run, device: str, kind: torch.dtype) -> None:
    out = torch.zeros(65536, dtype=torch.uint8)
    run(narrowed, (1,), HALVES.to(kind), out, 65536)
    expected = nearest(HALVES)
    if device == "cuda" and kind == torch.float32:
        # It converts to float16 first, with a single NaN.
        out[HALVES.isnan()] = expected[HALVES.isnan()] = 0x7F
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("kind", [torch.float16, torch.float32])
def test_blocks_smaller_than_a_register(run: Run, n: int, kind: torch.dtype) -> None:
    for first in (*range(0, 65536, 4099), 0x0040, 0x3C40, 0xBC40):  # the last are ties
        out = torch.zeros(n, dtype=torch.uint8)
        run(narrowed, (1,), HALVES[first : first + n].to(kind), out, n)
        assert out.tolist() == nearest(HALVES[first : first + n]).tolist()


def test_float32_is_truncated_before_rounding(run: Run) -> None:
    # The middle between 1 and 1.125 is 1.0625; one number is below it by less than float16 resolves, and others are
    # not.
    middle = torch.tensor([1.0625, -1.0625, 1.0625 - 2**-20, 1.0625 + 2**-20, 3e38, -float("inf"), float("nan"), 1e-30])
    out = torch.zeros(8, dtype=torch.uint8)
    run(narrowed, (1,), middle, out, 8)
    assert out.tolist() == [0x79, 0xF9, 0x78, 0x79, 0x7E, 0xFE, 0x7E, 0x00]


@blockdsl.jit
def moved(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    """Loads, selects, reverses and stores elements, together with numbers."""
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at, mask=at < 5, other=-0.3)
    y = tl.flip(tl.load(y_ptr + at))
    z = tl.where(at % 2 == 0, x, y)
    tl.store(out_ptr + at, z)
    tl.store(out_ptr + N + at, tl.abs(tl.reshape(z, (2, N // 2))).reshape(N))
    tl.store(out_ptr + 2 * N + at, tl.full((N,), 3.5, tl.float8e4b15))
    tl.store(out_ptr + 3 * N + at, tl.zeros((N,), tl.float8e4b15))


def test_bytes_are_copied_unchanged(run: Run) -> None:
    x, y = CODES[120:128].clone(), CODES[248:].clone()
    expected = [120, 255 - 1, 122, 255 - 3, 124, 255 - 5, int(nearest([-0.3])[0]), 248]
    out = torch.zeros(32, dtype=torch.uint8)
    run(moved, (1,), *(blockdsl.reinterpret(each, tl.float8e4b15) for each in (x, y, out)), 8)
    assert out.view(4, 8).tolist() == [expected, [each & 127 for each in expected], [0x7E] * 8, [0] * 8]


@blockdsl.jit
def combined(x_ptr, y_ptr, sums, greatest, product):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    x = tl.load(x_ptr + i * 16 + j).to(tl.float8e4b15, bitcast=True)
    y = tl.load(y_ptr + i * 16 + j)
    tl.static_assert((x + y).dtype == tl.float32)
    tl.store(sums + i * 16 + j, x + y)
    tl.store(greatest + tl.arange(0, 16), tl.max(x, 1))
    tl.store(product + i * 16 + j, tl.dot(x, x))


def test_other_operand_decides_computation_type(run: Run) -> None:
    y = torch.linspace(-3, 3, 256).view(16, 16)
    sums, greatest, product = torch.zeros(16, 16), torch.zeros(16), torch.zeros(16, 16)
    run(combined, (1,), CODES.clone(), y, sums, greatest, product)
    x = torch.from_numpy(meaning(CODES)).float().view(16, 16)
    assert sums.tolist() == (x + y).tolist()
    assert greatest.tolist() == x.amax(1).tolist()
    torch.testing.assert_close(product, x @ x, rtol=1e-6, atol=1e-6)


@blockdsl.jit
def refused(x, out, WHAT: tl.constexpr):
    at = tl.arange(0, 16)
    y = tl.load(x + at).to(tl.float8e4b15, bitcast=True)
    if WHAT == "+":
        tl.store(out + at, y + y)
    elif WHAT == "<":
        tl.store(out + at, y < 1.0)
    elif WHAT == "-":
        tl.store(out + at, -y)
    elif WHAT == "fma":
        tl.fma(y, y, y)
    elif WHAT == "sum":
        tl.sum(y)
    else:
        tl.load(x + at).to(tl.float8e4b15)


@pytest.mark.parametrize("what", ["+", "<", "-", "fma", "sum", "cast"])
def test_refuses_arithmetic(run: Run, what: str) -> None:
    with pytest.raises(TypeMismatchError, match="float8e4b15") as got:
        run(refused, (1,), CODES[:16].clone(), torch.zeros(16), what)
    assert got.value.hint in ("convert with .to(tl.float16)", "convert with .to(tl.float32) before")
    assert got.value.location is not None
