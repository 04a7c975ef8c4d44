"""Tests of operations that LLVM leaves undefined, compiled and interpreted.

They are shifts by too much, division by zero, floats beyond integers, and indices out of bounds, with operands that are
known at compile time, at run time, and in some lanes only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

pytestmark = pytest.mark.cpu_only

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
LANES = 64


def wrapped(value: int, dtype: np.dtype[Any]) -> int:
    bits = dtype.itemsize * 8
    value %= 2**bits
    return value - 2**bits if dtype.kind == "i" and value >= 2 ** (bits - 1) else value


def special(dtype: np.dtype[Any]) -> list[int]:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return [n for n in (low, low + 1, -1, 0, 1, 2, 3, 7, 100, high - 1, high) if low <= n <= high]


def left(x: int, by: int, dtype: np.dtype[Any]) -> int:
    bits = dtype.itemsize * 8
    by %= 2**bits
    return wrapped(x << by, dtype) if by < bits else 0


def right(x: int, by: int, dtype: np.dtype[Any]) -> int:
    bits = dtype.itemsize * 8
    by %= 2**bits
    return x >> min(by, bits)


def quotient(x: int, y: int, dtype: np.dtype[Any]) -> int:
    return wrapped(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), dtype) if y else 0


def remainder(x: int, y: int, dtype: np.dtype[Any]) -> int:
    return x - y * (abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)) if y else 0


MEANINGS = {"<<": left, ">>": right, "//": quotient, "%": remainder}


@blockdsl.jit
def combined(a, b, OP: tl.constexpr):
    if OP == "<<":
        return a << b
    if OP == ">>":
        return a >> b
    if OP == "//":
        return a // b
    return a % b


@blockdsl.jit
def by_anything(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, Y: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, combined(x, tl.load(y_ptr + at), OP))
    # One number for all, passed at run time; a constant; a number that is constant in half of the lanes.
    tl.store(out_ptr + N + at, combined(x, tl.load(y_ptr + 5), OP))
    known = tl.full((N,), Y, y_ptr.dtype.element_ty)
    tl.store(out_ptr + 2 * N + at, combined(x, known, OP))
    tl.store(out_ptr + 3 * N + at, combined(x, tl.load(y_ptr + at, mask=at < N // 2, other=Y), OP))
    tl.store(out_ptr + 4 * N + at, combined(tl.where(at < N // 2, x, Y), tl.where(at % 2 == 0, known, x), OP))
    tl.store(out_ptr + 5 * N, combined(tl.load(x_ptr + 3), tl.load(y_ptr + 3), OP))
    tl.store(out_ptr + 5 * N + 1, combined(tl.load(x_ptr + 3), tl.full((), Y, y_ptr.dtype.element_ty), OP))
    tl.store(out_ptr + 5 * N + 2, combined(tl.full((), Y, x_ptr.dtype.element_ty), tl.load(y_ptr + 3), OP))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", MEANINGS)
def test_integers(run: Run, op: str, dtype: str) -> None:
    kind = np.dtype(dtype)
    bits = kind.itemsize * 8
    numbers = special(kind)
    shifts = [wrapped(n, kind) for n in (0, 1, bits - 1, bits, bits + 1, 2 * bits, -1)]
    others = shifts if op in ("<<", ">>") else numbers
    x = np.resize(np.array(numbers, kind), LANES)
    y = np.resize(np.repeat(np.array(others, kind), 5), LANES)
    means = MEANINGS[op]
    for known in shifts[3::3] if op in ("<<", ">>") else {0, -1 if kind.kind == "i" else 3}:
        out = np.zeros(5 * LANES + 3, kind)
        run(by_anything, (1,), x, y, out, OP=op, Y=known, N=LANES)
        lanes = range(LANES)
        columns = [
            [(x[i], y[i]) for i in lanes],
            [(x[i], y[5]) for i in lanes],
            [(x[i], known) for i in lanes],
            [(x[i], y[i] if i < LANES // 2 else known) for i in lanes],
            [(x[i] if i < LANES // 2 else known, known if i % 2 == 0 else x[i]) for i in lanes],
            [(x[3], y[3]), (x[3], known), (known, y[3])],
        ]
        expected = [means(int(a), int(b), kind) for column in columns for a, b in column]
        assert out.tolist() == expected, known


@blockdsl.jit
def of_literals(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x << 40)
    tl.store(out_ptr + N + at, x >> 40)
    tl.store(out_ptr + 2 * N + at, x >> 32)
    tl.store(out_ptr + 3 * N + at, x << 31)
    tl.store(out_ptr + 4 * N + at, 1 << x)
    tl.store(out_ptr + 5 * N + at, -8 >> x)


def test_shifts_by_and_of_literals(run: Run) -> None:
    x = np.array([1, -1, 5, -7, 31, 32, 33, 2**31 - 1], np.int32)
    out = np.full(48, 9, np.int32)
    run(of_literals, (1,), x, out, N=8)
    kind = x.dtype
    expected = [left(int(n), 40, kind) for n in x] + [right(int(n), 40, kind) for n in x]
    expected += [right(int(n), 32, kind) for n in x] + [left(int(n), 31, kind) for n in x]
    expected += [left(1, int(n), kind) for n in x] + [right(-8, int(n), kind) for n in x]
    assert out.tolist() == expected


@blockdsl.jit
def of_bools(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, x << y)
    tl.store(out_ptr + N + at, x >> y)
    tl.store(out_ptr + 2 * N + at, x // y)
    tl.store(out_ptr + 3 * N + at, x % y)
    tl.store(out_ptr + 4 * N + at, -x)


def test_bools(run: Run) -> None:
    x, y = np.array([0, 0, 1, 1] * 4, bool), np.array([0, 1, 0, 1] * 4, bool)
    out = np.zeros(80, bool)
    run(of_bools, (1,), x, y, out, N=16)
    expected = np.concatenate([x & ~y, x & ~y, x & y, x & False, x])
    np.testing.assert_array_equal(out, expected)


FLOATS = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
NUMBERS = [
    math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, -0.5, -1.0, 1.5, 127.5, 128.0, -128.5, -129.0, 255.5, 256.0, 32767.5,
    32768.0, -32769.0, 65504.0, 2.0**31, -(2.0**31), 2.0**31 - 1, 2.0**32, 2.0**32 - 1, 2.0**63, -(2.0**63), 2.0**64,
    1e30, -1e30, 1e300, -1e300, 2.0**63 - 1024,
]  # fmt: skip


@blockdsl.jit
def to_integers(x_ptr, out_ptr, T: tl.constexpr, KNOWN: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x.to(T))
    tl.store(out_ptr + N + at, tl.full((N,), KNOWN, x.dtype).to(T))
    tl.store(out_ptr + 2 * N + at, tl.load(x_ptr + at, mask=at < 16, other=KNOWN).to(T))
    tl.store(out_ptr + 3 * N, tl.load(x_ptr + 1).to(T))


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("of", FLOATS)
def test_floats_to_integers(run: Run, of: str, to: str) -> None:
    with np.errstate(over="ignore"):
        x = np.array(NUMBERS, FLOATS[of])
    low, high = int(np.iinfo(to).min), int(np.iinfo(to).max)

    def means(value: float) -> int:
        return (
            0
            if math.isnan(value)
            else int(min(max(value, low), high))
            if abs(value) < 2**70
            else [low, high][value > 0]
        )

    for known in (math.nan, -math.inf, 60000.0):
        out = np.zeros(3 * 32 + 1, to)
        run(to_integers, (1,), x, out, T=getattr(tl, to), KNOWN=known, N=32)
        columns = [*x.tolist(), *[known] * 32, *x[:16].tolist(), *[known] * 16, float(x[1])]
        assert out.tolist() == [means(value) for value in columns], known


@blockdsl.jit
def against_a_number(x_ptr, value, out_ptr, KNOWN: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x < KNOWN)
    tl.store(out_ptr + N + at, x > tl.full((N,), KNOWN, x.dtype))
    tl.store(out_ptr + 2 * N + at, x < value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("known", [-(2**31), 2**63, 7e4, -1e300])
@pytest.mark.parametrize("dtype", ["float16", "float32", "bfloat16", "float64"])
def test_numbers_beyond_a_float_are_infinite_without_a_warning(run: Run, dtype: str, known: float) -> None:
    kind = getattr(torch, dtype)
    ends = torch.finfo(kind)
    x = torch.tensor([-math.inf, ends.min, -1, 0, 1, ends.max, math.inf, math.nan], dtype=kind)
    out = torch.zeros((3, 8), dtype=torch.bool)
    run(against_a_number, (1,), x, float(known), out, KNOWN=known, N=8)
    rounded = torch.tensor(float(known), dtype=torch.float64).to(kind)
    assert out[0].tolist() == (x < rounded).tolist()
    assert out[1].tolist() == (x > rounded).tolist()
    # The argument is a float32, to which blocks of 16 bits are widened.
    passed = torch.tensor(float(known), dtype=torch.float64).to(torch.float32)
    assert out[2].tolist() == (x.double() < passed.double()).tolist()


@blockdsl.jit
def picked(x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M))
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.gather(x, tl.load(index_ptr + at), 0))
    tl.store(out_ptr + N + at, tl.gather(x, at * 3 - 5, 0))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("extent", [1, 32, 512])
def test_indices_out_of_range_wrap(run: Run, extent: int, dtype: str) -> None:
    kind = np.dtype(dtype)
    x = np.arange(extent, dtype=np.float32) * 1.5
    indices = (0, 1, 31, 32, 127, 128, 255, -1, -33, 2**31 - 1, 2**40)
    index = np.array([wrapped(indices[n % len(indices)], kind) for n in range(64)], kind)
    out = np.zeros(128, np.float32)
    run(picked, (1,), x, index, out, M=extent, N=64)
    unsigned = [int(n) % 2 ** (8 * kind.itemsize) % extent for n in index]
    unsigned += [n % 2**32 % extent for n in range(-5, 187, 3)]
    np.testing.assert_array_equal(out, x[unsigned])


@blockdsl.jit
def extremes(x_ptr, value_ptr, place_ptr, M: tl.constexpr, N: tl.constexpr):
    row, column = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + row[:, None] * N + column[None, :])
    largest, index = tl.max(x, 1, return_indices=True)
    tl.store(value_ptr + row, largest)
    tl.store(place_ptr + row, index)
    smallest, index = tl.min(x, 1, return_indices=True)
    tl.store(value_ptr + M + row, smallest)
    tl.store(place_ptr + M + row, index)
    tl.store(value_ptr + 2 * M + row, tl.max(x, 1))
    tl.store(value_ptr + 3 * M + row, tl.min(x, 1))
    tl.store(place_ptr + 2 * M + row, tl.argmax(x, 1))
    tl.store(place_ptr + 3 * M + row, tl.argmin(x, 1))


@blockdsl.jit
def extremes_of_row(x_ptr, value_ptr, place_ptr, M: tl.constexpr, N: tl.constexpr):
    for row in range(M):
        x = tl.load(x_ptr + row * N + tl.arange(0, N))
        largest, index = tl.max(x, 0, return_indices=True)
        tl.store(value_ptr + row, largest)
        tl.store(place_ptr + row, index)
        smallest, index = tl.min(x, 0, return_indices=True)
        tl.store(value_ptr + M + row, smallest)
        tl.store(place_ptr + M + row, index)
        tl.store(value_ptr + 2 * M + row, tl.max(x, 0))
        tl.store(value_ptr + 3 * M + row, tl.min(x, 0))
        tl.store(place_ptr + 2 * M + row, tl.argmax(x, 0))
        tl.store(place_ptr + 3 * M + row, tl.argmin(x, 0))


@pytest.mark.parametrize("kernel", [extremes, extremes_of_row])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("length", [2, 4, 16, 64, 128])
def test_extremes_and_their_indices_ignore_nan(run: Run, length: int, dtype: type, kernel: Any) -> None:
    random = np.random.default_rng(length)
    x = random.integers(-4, 4, (16, length)).astype(dtype)
    x[random.random(x.shape) < 0.4] = np.nan
    x[0], x[1, :-1], x[2, 1:] = np.nan, np.nan, np.nan
    x[3, 0], x[4, -1] = np.inf, -np.inf
    values, indices = np.zeros((4, 16), dtype), np.zeros((4, 16), np.int32)
    run(kernel, (1,), x, values, indices, M=16, N=length)
    # If all elements are NaN, it is the first.
    first_max, first_min = np.zeros(16, int), np.zeros(16, int)
    for row in range(16):
        numbers = np.flatnonzero(~np.isnan(x[row]))
        if numbers.size:
            first_max[row] = numbers[np.argmax(x[row, numbers])]
            first_min[row] = numbers[np.argmin(x[row, numbers])]
    rows = np.arange(16)
    np.testing.assert_array_equal(indices, [first_max, first_min, first_max, first_min])
    np.testing.assert_array_equal(values, [x[rows, first_max], x[rows, first_min]] * 2)


@blockdsl.jit
def chosen_floats(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.maximum(x, y))
    tl.store(out_ptr + N + at, tl.minimum(x, y))
    tl.store(out_ptr + 2 * N + at, tl.clamp(y, x, float("inf")))
    tl.store(out_ptr + 3 * N, tl.max(x, 0))
    tl.store(out_ptr + 3 * N + 1, tl.min(x, 0))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 16, 32])
def test_signaling_nan_is_ignored(run: Run, dtype: str, size: int) -> None:
    kind = np.dtype(dtype)
    bits = np.dtype(f"u{kind.itemsize}")
    signals = (np.array(np.inf, kind).view(bits) + 1).view(kind)
    y = np.arange(1, size + 1).astype(kind)
    x = np.where(np.arange(size) % 3 != 1, signals, -y)
    out = np.zeros(3 * size + 2, kind)
    run(chosen_floats, (1,), x, y, out, N=size)
    assert np.isnan(x).any()
    number = ~np.isnan(x)
    assert out[:size].tolist() == y.tolist()
    assert out[size : 2 * size].tolist() == np.where(number, -y, y).tolist()
    assert out[2 * size : 3 * size].tolist() == y.tolist()
    ends = [-2.0, x[number].min(initial=0)] if size > 1 else [np.nan, np.nan]
    np.testing.assert_array_equal(out[3 * size :], ends)


@blockdsl.jit
def fused_floats(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, tl.fma(x, x, float("-inf")))
    tl.store(out_ptr + N + at, tl.fma(x, -x, float("nan")))
    tl.store(out_ptr + 2 * N + at, tl.fma(x, x, -1.0))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_fused_product_does_not_overflow_before_its_sum(run: Run, dtype: str) -> None:
    kind = np.dtype(dtype)
    x = np.array([1, -2, np.finfo(kind).max, -np.finfo(kind).max, np.finfo(kind).tiny, 0, np.inf, np.nan], kind)
    out = np.zeros(3 * x.size, kind)
    run(fused_floats, (1,), x, out, N=x.size)
    np.testing.assert_array_equal(out[: x.size], [-np.inf] * 6 + [np.nan] * 2)
    np.testing.assert_array_equal(out[x.size : 2 * x.size], [np.nan] * 8)
    np.testing.assert_array_equal(out[2 * x.size :], [0, 3, np.inf, np.inf, -1, -1, np.inf, np.nan])


@blockdsl.jit
def by_way_of(x_ptr, out_ptr, zero_ptr, WAY: tl.constexpr, TO: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    bits = tl.uint8 if TO != tl.float32 else tl.uint32
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(WAY).to(TO).to(bits, bitcast=True))
    tl.store(zero_ptr + at, tl.full((N,), -0.0, WAY).to(TO).to(bits, bitcast=True))


@pytest.mark.parametrize("to", ["float8e4nv", "float8e5", "float32"])
@pytest.mark.parametrize("way", ["float8e4b8", "float8e5b16"])
@pytest.mark.parametrize("of", ["float16", "bfloat16", "float32", "float64"])
def test_formats_without_a_negative_zero(run: Run, of: str, way: str, to: str) -> None:
    x = torch.tensor([-0.0, 0.0, -1e-30, 1e-30, -(2.0**-10), -(2.0**-12), -(2.0**-17), -1.5], dtype=getattr(torch, of))
    names = {"float8e4b8": "float8_e4m3fnuz", "float8e5b16": "float8_e5m2fnuz", "float8e4nv": "float8_e4m3fn",
             "float8e5": "float8_e5m2"}  # fmt: skip
    expected, zero = (
        each.to(getattr(torch, names[way])).float().to(getattr(torch, names.get(to, to)))
        for each in (x, torch.full((8,), -0.0))
    )
    got = torch.empty((2, 8), dtype=torch.uint32 if to == "float32" else torch.uint8)
    run(by_way_of, (1,), x, got[0], got[1], WAY=getattr(tl, way), TO=getattr(tl, to), N=8)
    assert got[0].tolist() == expected.view(got.dtype).tolist()
    assert got[1].tolist() == zero.view(got.dtype).tolist()
