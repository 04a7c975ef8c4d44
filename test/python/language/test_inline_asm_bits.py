"""Tests of instructions in assembly that insert, mask, extend and select, and of directed rounding, against models."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def combined(x, y, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)
    z = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + at), tl.load(y + at)], KIND, True, 1)
    tl.store(out + at, z)


def unsigned(x: int, bits: int = 32) -> int:
    return x % 2**bits


def signed(x: int, bits: int = 32) -> int:
    return (x + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def low_24(x: int) -> int:
    return x & 0xFFFFFF


def highest_bit(x: int) -> int:
    """Returns the highest set bit of a non-negative number; -1 if no bit is set."""
    return x.bit_length() - 1


def highest_of_signed(x: int) -> int:
    return highest_bit(x if x >= 0 else ~x)


def amount_below_the_last(position: int, bits: int) -> int:
    return bits - 1 - position if position >= 0 else -1


def mask(position: int, length: int, clamp: bool) -> int:
    """As PTX's manual defines it."""
    mask_0 = unsigned(-1 << (position & 31))
    total = (position & 31) + (length & 31)
    mask_1 = unsigned(-1 << total) if total < 32 else 0
    if clamp and position >= 32:
        mask_0 = 0
    if clamp and length >= 32:
        mask_1 = 0
    return mask_0 & ~mask_1


def extended(x: int, length: int, clamp: bool, is_signed: bool) -> int:
    """As PTX's manual defines it."""
    low = length & 31
    too_large = length >= 32 and clamp
    mask = 0 if too_large else unsigned(-1 << low)
    sign = bool(low and not too_large and is_signed and x >> (low - 1) & 1)
    return (x & ~mask) | (mask if sign else 0)


def products(x: int, y: int, upper: bool, x_signed: bool, y_signed: bool) -> int:
    halves = [x >> 16 * at & 0xFFFF for at in range(2)]
    parts = [y >> 8 * at & 0xFF for at in ((2, 3) if upper else (0, 1))]
    return sum(
        (signed(half, 16) if x_signed else half) * (signed(part, 8) if y_signed else part)
        for half, part in zip(halves, parts, strict=True)
    )


NUMBERS = [0, 1, -1, 5, 31, 32, 33, 63, 200, -8, 0x7FFFFF, 0x800000, 0x12345678, -0x12345678, 2**31 - 1, -(2**31)]

INTEGERS: dict[str, Callable[[int, int], int]] = {
    "mul24.lo.u32 $0, $1, $2;": lambda x, y: low_24(x) * low_24(y),
    "mul24.hi.u32 $0, $1, $2;": lambda x, y: low_24(x) * low_24(y) >> 16,
    "mul24.lo.s32 $0, $1, $2;": lambda x, y: signed(x, 24) * signed(y, 24),
    "mul24.hi.s32 $0, $1, $2;": lambda x, y: signed(x, 24) * signed(y, 24) >> 16,
    "mad24.lo.u32 $0, $1, $2, $1;": lambda x, y: low_24(x) * low_24(y) + x,
    "mad24.hi.s32 $0, $1, $2, 7;": lambda x, y: (signed(x, 24) * signed(y, 24) >> 16) + 7,
    "cnot.b32 $0, $1;": lambda x, y: int(x == 0),
    "{ .reg .b16 h; cvt.u16.u32 h, $1; cnot.b16 h, h; cvt.u32.u16 $0, h; }": lambda x, y: int(x & 0xFFFF == 0),
    "bfind.u32 $0, $1;": lambda x, y: highest_bit(x),
    "bfind.s32 $0, $1;": lambda x, y: highest_of_signed(signed(x)),
    "bfind.shiftamt.u32 $0, $1;": lambda x, y: amount_below_the_last(highest_bit(x), 32),
    "bfind.shiftamt.s32 $0, $1;": lambda x, y: amount_below_the_last(highest_of_signed(signed(x)), 32),
    "{ .reg .b64 d; mov.b64 d, {$1, $2}; bfind.u64 $0, d; }": lambda x, y: highest_bit(x | y << 32),
    "{ .reg .b64 d; mov.b64 d, {$1, $2}; bfind.shiftamt.s64 $0, d; }":
        lambda x, y: amount_below_the_last(highest_of_signed(signed(x | y << 32, 64)), 64),
    "bmsk.clamp.b32 $0, $1, $2;": lambda x, y: mask(x, y, clamp=True),
    "bmsk.wrap.b32 $0, $1, $2;": lambda x, y: mask(x, y, clamp=False),
    "szext.clamp.u32 $0, $1, $2;": lambda x, y: extended(x, y, clamp=True, is_signed=False),
    "szext.clamp.s32 $0, $1, $2;": lambda x, y: extended(x, y, clamp=True, is_signed=True),
    "szext.wrap.u32 $0, $1, $2;": lambda x, y: extended(x, y, clamp=False, is_signed=False),
    "szext.wrap.s32 $0, $1, $2;": lambda x, y: extended(x, y, clamp=False, is_signed=True),
    "dp2a.lo.s32.u32 $0, $1, $2, $1;": lambda x, y: products(x, y, False, True, False) + x,
    "dp2a.hi.u32.s32 $0, $1, $2, 9;": lambda x, y: products(x, y, True, False, True) + 9,
    "dp2a.hi.s32.s32 $0, $1, $2, $2;": lambda x, y: products(x, y, True, True, True) + y,
    "dp2a.lo.u32.u32 $0, $1, $2, 0;": lambda x, y: products(x, y, False, False, False),
    "slct.u32.s32 $0, $1, 77, $2;": lambda x, y: x if signed(y) >= 0 else 77,
    "slct.b32.s32 $0, 5, $2, $1;": lambda x, y: 5 if signed(x) >= 0 else y,
    "set.lt.u32.s32 $0, $1, $2;": lambda x, y: -int(signed(x) < signed(y)),
    "set.hi.s32.u32 $0, $1, $2;": lambda x, y: -int(x > y),
    "set.eq.f32.s32 $0, $1, $2;": lambda x, y: 0x3F800000 if x == y else 0,
    "{ .reg .pred p; setp.lt.s32 p, $2, 9; set.ne.and.u32.b32 $0, $1, $2, !p; }":
        lambda x, y: -int(x != y and signed(y) >= 9),
}  # fmt: skip


def pairs() -> tuple[torch.Tensor, torch.Tensor]:
    rows = list(itertools.product(NUMBERS, NUMBERS))
    return tuple(torch.tensor(column, dtype=torch.int32) for column in zip(*rows, strict=True))  # type: ignore[return-value]


@pytest.mark.cpu_only  # Not tested on a GPU.
@pytest.mark.parametrize("asm", INTEGERS)
def test_integers(run: Run, asm: str) -> None:
    x, y = pairs()
    out = torch.zeros_like(x)
    run(combined, (1,), x, y, out, len(x), asm, "=r,r,r", tl.int32)
    expected = [INTEGERS[asm](unsigned(a), unsigned(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert out.tolist() == [signed(each) for each in expected]


FLOATS = [0.0, -0.0, 1.0, -1.0, 3.0, -7.0, 0.1, 1 / 3, 1e-45, -1e-45, 1e-38, -3e-39, 16777217.0, 3.4028235e38, -3.4e38,
          2.5e-20, 1.7e30, 5e-8, math.inf, -math.inf, math.nan, 1.0000001, -0.99999994, 123456.79]  # fmt: skip
SINGLES = [float(each) for each in np.array(FLOATS, np.float32)]
LARGEST = Fraction(float(np.finfo(np.float32).max))


def rounded(exact: Fraction, direction: str) -> float:
    """Returns the f32 next to a nonzero number: toward zero, down or up."""
    if abs(exact) > LARGEST:
        outward = (direction == "rp") if exact > 0 else (direction == "rm")
        return math.copysign(math.inf if outward else float(LARGEST), exact)
    near = np.float32(float(exact))  # Rounded twice: at most one f32 away.
    with np.errstate(over="ignore"):
        candidates = {np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))}
    numbers = {Fraction(float(each)): each for each in candidates if np.isfinite(each)}
    if direction == "rm" or (direction == "rz" and exact > 0):
        found = max(each for each in numbers if each <= exact)
    else:
        found = min(each for each in numbers if each >= exact)
    return math.copysign(float(numbers[found]), exact)


OPERATIONS: dict[str, tuple[Callable[..., Fraction], Callable[..., float]]] = {
    "add": (lambda x, y: x + y, lambda x, y: x + y),
    "sub": (lambda x, y: x - y, lambda x, y: x - y),
    "mul": (lambda x, y: x * y, lambda x, y: x * y),
    "div": (lambda x, y: x / y, lambda x, y: x / y),
    "fma": (lambda x, y: x * y + x, lambda x, y: x * y + x),
    "rcp": (lambda x, y: 1 / x, lambda x, y: 1 / x),
}


def expected_of(name: str, direction: str, x: float, y: float) -> float:
    exact, near = OPERATIONS[name]
    y = x if name == "rcp" else y
    if math.isfinite(x) and math.isfinite(y):
        try:
            value = exact(Fraction(x), Fraction(y))
        except ZeroDivisionError:
            value = Fraction(0)
        if value != 0:
            return rounded(value, direction)
    with np.errstate(all="ignore"):
        result = float(near(np.float64(x), np.float64(y)))
    if result == 0 and direction == "rm" and name in ("add", "sub", "fma"):
        # Rounded down, a sum of zeros or of opposites is -0, unless both are +0.
        first, last = (x * y if name == "fma" else x), (-y if name == "sub" else x if name == "fma" else y)
        return 0.0 if math.copysign(1, first) == math.copysign(1, last) == 1 else -0.0
    return result


@pytest.mark.cpu_only  # A GPU compiles the same text; Triton's kernels flush denormals where the text requests it.
@pytest.mark.parametrize("direction", ["rz", "rm", "rp"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_floats_are_rounded_in_a_direction(run: Run, name: str, direction: str) -> None:
    rows = list(itertools.product(SINGLES, SINGLES))
    rows += [(0.0, 0.0)] * (1024 - len(rows))
    x, y = (torch.tensor(column, dtype=torch.float32) for column in zip(*rows, strict=True))
    out = torch.zeros_like(x)
    sources = {"fma": "$1, $2, $1", "rcp": "$1"}.get(name, "$1, $2")
    run(combined, (1,), x, y, out, len(x), f"{name}.{direction}.f32 $0, {sources};", "=f,f,f", tl.float32)
    for got, (a, b) in zip(out.tolist(), rows, strict=True):
        expected = expected_of(name, direction, a, b)
        assert got == expected or (math.isnan(got) and math.isnan(expected)), (a, b, got, expected)
        assert math.isnan(got) or math.copysign(1, got) == math.copysign(1, expected), (a, b, got, expected)


@pytest.mark.parametrize("direction", ["rz", "rm", "rp"])
def test_roots_are_rounded_in_a_direction(run: Run, direction: str) -> None:
    generator = np.random.default_rng(3)
    x = torch.tensor(np.exp2(generator.uniform(-100, 100, 256)).astype(np.float32))
    out = torch.zeros_like(x)
    run(combined, (1,), x, x, out, len(x), f"sqrt.{direction}.f32 $0, $1;", "=f,f,f", tl.float32)
    for got, of in zip(out.tolist(), x.tolist(), strict=True):
        above = float(np.nextafter(np.float32(got), np.float32(np.inf)))
        below = float(np.nextafter(np.float32(got), np.float32(0)))
        square = Fraction(got) ** 2
        assert square >= of > Fraction(below) ** 2 if direction == "rp" else square <= of < Fraction(above) ** 2


def test_a_sum_rounded_toward_zero_stays_within_its_bounds(run: Run) -> None:
    x = torch.tensor([0.75, -3.0, float("nan"), 1 / 3])
    out = torch.zeros_like(x)
    run(combined, (1,), x, x, out, 4, "add.rz.sat.f32 $0, $1, $2;", "=f,f,f", tl.float32)
    assert out.tolist() == [1.0, 0.0, 0.0, 2 * float(np.float32(1 / 3))]


@pytest.mark.cpu_only  # Not tested on a GPU.
@pytest.mark.parametrize("flush", ["", ".ftz"])
def test_a_float_chooses_by_its_sign(run: Run, flush: str) -> None:
    y = torch.tensor([0.0, -0.0, 1.0, -1.0, -1e-40, 1e-40, float("nan"), -float("inf")])
    x = torch.arange(8, dtype=torch.float32) + 1
    out = torch.zeros_like(x)
    run(combined, (1,), x, y, out, 8, f"slct{flush}.f32.f32 $0, $1, 0fBF800000, $2;", "=f,f,f", tl.float32)
    assert out.tolist() == [1.0, 2.0, 3.0, -1.0, 5.0 if flush else -1.0, 6.0, -1.0, -1.0]


@pytest.mark.cpu_only
@pytest.mark.parametrize(
    ("name", "second", "true"), [("f16x2", "f16x2", 0x3C00), ("bf16x2", "bf16x2", 0x3F80), ("u32", "f16x2", 0xFFFF)]
)
def test_a_comparison_of_pairs_is_a_pair_of_numbers(run: Run, name: str, second: str, true: int) -> None:
    one = {"f16x2": 0x3C00, "bf16x2": 0x3F80}[second]
    x = torch.tensor([one, one << 16, 0, one | one << 16], dtype=torch.int32)
    y = torch.tensor([0, one, one, one << 16], dtype=torch.int32)
    out = torch.zeros_like(x)
    run(combined, (1,), x, y, out, 4, f"set.gt.{name}.{second} $0, $1, $2;", "=r,r,r", tl.int32)
    assert [each % 2**32 for each in out.tolist()] == [true, true << 16, 0, true]


@pytest.mark.parametrize(
    "asm",
    [
        "add.rz.f64 $0, $1, $2",
        "add.rz.s32 $0, $1, $2",
        "add.rn.rz.f32 $0, $1, $2",
        "fma.rz.relu.f32 $0, $1, $2, $1",
        "bfind.b32 $0, $1",
        "bmsk.b32 $0, $1, $2",
        "bmsk.clamp.u32 $0, $1, $2",
        "szext.clamp.b32 $0, $1, $2",
        "cnot.u32 $0, $1",
        "mul24.u32 $0, $1, $2",
        "mul24.lo.u16 $0, $1, $2",
        "dp2a.s32.s32 $0, $1, $2, $1",
        "dp2a.lo.s32.b32 $0, $1, $2, $1",
        "slct.ftz.s32.s32 $0, $1, $2, $1",
        "slct.s32.u32 $0, $1, $2, $1",
        "slct.f16x2.s32 $0, $1, $2, $1",
        "set.lt.b32.s32 $0, $1, $2",
        "set.lt.f16x2.f32 $0, $1, $2",
        "vabsdiff4.u32.u32.u32 $0, $1, $2, $1",
        "testp.finite.f32 $0, $1",
    ],
)
def test_unsupported_forms_are_refused_by_name(run: Run, asm: str) -> None:
    x = torch.ones(4, dtype=torch.int32)
    with pytest.raises(blockdsl.errors.BlockdslError, match=re.escape(asm.split()[0])):
        run(combined, (1,), x, x, torch.zeros_like(x), 4, f"{asm};", "=r,r,r", tl.int32)
