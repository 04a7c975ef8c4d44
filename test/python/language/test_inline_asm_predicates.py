"""Tests of assembly in kernels: predicates, bit fields, and saturated results. The texts also run on GPUs."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

import pytest
import torch
from reference_checks import Run, rounded_once

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def combined(x, y, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)
    z = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + at), tl.load(y + at)], KIND, True, 1)
    tl.store(out + at, z)


NUMBERS = [0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 0x12345678, -0x12345678, 99, 0x7F80, 3, 31, 32, 255, 256]
WORDS = torch.tensor([x for x in NUMBERS for _ in NUMBERS], dtype=torch.int32)
OTHERS = torch.tensor([y for _ in NUMBERS for y in NUMBERS], dtype=torch.int32)


def signed(value: int, bits: int = 32) -> int:
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def unsigned(value: int, bits: int = 32) -> int:
    return value % 2**bits


def extracted(value: int, position: int, length: int, bits: int, *, keeps_sign: bool) -> int:
    """Computes each word as PTX's manual defines it."""
    position, length = position & 255, length & 255
    sign = value >> min(position + length - 1, bits - 1) & 1 if keeps_sign and length else 0
    within = [value >> position + at & 1 if at < length and position + at < bits else sign for at in range(bits)]
    return signed(sum(bit << at for at, bit in enumerate(within)), bits)


def inserted(value: int, into: int, position: int, length: int, bits: int) -> int:
    position, length = position & 255, length & 255
    for at in range(min(length, max(bits - position, 0))):
        into = into & ~(1 << position + at) | (value >> at & 1) << position + at
    return signed(into, bits)


def bytes_of(value: int, *positions: int) -> int:
    return signed(sum((value >> 8 * position & 255) << 8 * at for at, position in enumerate(positions)))


def word(x: int, y: int) -> int:
    return unsigned(x) | unsigned(y) << 32


PREDICATE = "{{ .reg .pred p, q; {} }}"
INTEGERS: dict[str, Callable[[int, int], int]] = {
    "setp.lt.s32 p, $1, $2; selp.b32 $0, $1, $2, p;": min,
    "setp.hi.u32 p, $1, $2; selp.s32 $0, $1, $2, p;": lambda x, y: max(x, y, key=unsigned),
    "setp.lo.u32 p, $1, $2; selp.u32 $0, 1, 0, p;": lambda x, y: unsigned(x) < unsigned(y),
    "setp.ls.u32 p, $1, $2; selp.u32 $0, 1, 0, p;": lambda x, y: unsigned(x) <= unsigned(y),
    "setp.hs.u32 p, $1, $2; selp.u32 $0, 1, 0, p;": lambda x, y: unsigned(x) >= unsigned(y),
    "setp.eq.b32 p, $1, $2; selp.u32 $0, 1, 0, p;": lambda x, y: x == y,
    "setp.ne.s32 p, $1, 7; selp.u32 $0, 1, 0, p;": lambda x, y: x != 7,
    "setp.ge.s32 p|q, $1, $2; selp.u32 $0, 1, 0, q;": lambda x, y: x < y,
    "setp.gt.s32 _|q, $1, $2; selp.u32 $0, 1, 0, q;": lambda x, y: x <= y,
    "setp.gt.s32 p, $1, 0; setp.le.and.s32 q, $2, 99, p; selp.u32 $0, 1, 0, q;": lambda x, y: x > 0 and y <= 99,
    "setp.gt.s32 p, $1, 0; setp.le.or.s32 q, $2, 99, !p; selp.u32 $0, 1, 0, q;": lambda x, y: not x > 0 or y <= 99,
    "setp.gt.s32 p, $1, 0; setp.le.xor.s32 p|q, $2, 99, p; selp.u32 $0, 1, 0, q;":
        lambda x, y: (y > 99) != (x > 0),
    "setp.gt.s32 p, $1, 0; setp.gt.s32 q, $2, 0; and.pred p, p, q; selp.b32 $0, 5, 6, p;":
        lambda x, y: 5 if x > 0 and y > 0 else 6,
    "setp.gt.s32 p, $1, 0; setp.gt.s32 q, $2, 0; or.pred p, p, q; selp.b32 $0, 5, 6, p;":
        lambda x, y: 5 if x > 0 or y > 0 else 6,
    "setp.gt.s32 p, $1, 0; mov.pred q, p; not.pred q, q; xor.pred q, q, p; selp.b32 $0, 5, 6, q;": lambda x, y: 5,
    "mov.b32 $0, $2; setp.gt.s32 p, $1, 0; @p add.s32 $0, $0, 1; @!p neg.s32 $0, $0;":
        lambda x, y: signed(y + 1 if x > 0 else -y),
    "mov.b32 $0, 3; setp.gt.s32 p, $1, 0; @p setp.gt.s32 p, $2, 0; @p mov.b32 $0, 4;":
        lambda x, y: 4 if x > 0 and y > 0 else 3,
    "{ .reg .b16 a, b; mov.b32 {a, b}, $2; setp.gt.s32 p, $1, 0; @p mov.b32 {b, a}, $2; mov.b32 $0, {a, b}; }":
        lambda x, y: bytes_of(y, 2, 3, 0, 1) if x > 0 else y,
    "bfe.u32 $0, $1, $2, 5;": lambda x, y: extracted(unsigned(x), y, 5, 32, keeps_sign=False),
    "bfe.s32 $0, $1, $2, 5;": lambda x, y: extracted(unsigned(x), y, 5, 32, keeps_sign=True),
    "bfe.s32 $0, $1, 3, $2;": lambda x, y: extracted(unsigned(x), 3, y, 32, keeps_sign=True),
    "bfe.u32 $0, $1, 3, $2;": lambda x, y: extracted(unsigned(x), 3, y, 32, keeps_sign=False),
    "{ .reg .b64 d; mov.b64 d, {$1, $2}; bfe.u64 d, d, 27, 17; cvt.u32.u64 $0, d; }":
        lambda x, y: extracted(word(x, y), 27, 17, 64, keeps_sign=False),
    "{ .reg .b64 d; mov.b64 d, {$1, $2}; bfe.s64 d, d, 60, 9; cvt.u32.u64 $0, d; }":
        lambda x, y: signed(extracted(word(x, y), 60, 9, 64, keeps_sign=True)),
    "bfi.b32 $0, $1, 0x5a5a5a5a, $2, 7;": lambda x, y: inserted(x, 0x5A5A5A5A, y, 7, 32),
    "bfi.b32 $0, $1, 0x5a5a5a5a, 4, $2;": lambda x, y: inserted(x, 0x5A5A5A5A, 4, y, 32),
    "{ .reg .b64 d; mov.b64 d, {$2, $1}; bfi.b64 d, d, 0, 24, 16; shr.b64 d, d, 16; cvt.u32.u64 $0, d; }":
        lambda x, y: signed(inserted(word(y, x), 0, 24, 16, 64) >> 16),
    "prmt.b32.f4e $0, $1, 0x76543210, $2;": lambda x, y: bytes_of(word(x, 0x76543210), *(y % 4 + i for i in range(4))),
    "prmt.b32.b4e $0, $1, 0x76543210, $2;":
        lambda x, y: bytes_of(word(x, 0x76543210), *((y % 4 - i) % 8 for i in range(4))),
    "prmt.b32.rc8 $0, $1, 0, $2;": lambda x, y: bytes_of(x, *[y % 4] * 4),
    "prmt.b32.ecl $0, $1, 0, $2;": lambda x, y: bytes_of(x, *(max(y % 4, i) for i in range(4))),
    "prmt.b32.ecr $0, $1, 0, $2;": lambda x, y: bytes_of(x, *(min(y % 4, i) for i in range(4))),
    "prmt.b32.rc16 $0, $1, 0, $2;": lambda x, y: bytes_of(x, *(i % 2 + 2 * (y % 2) for i in range(4))),
    "add.sat.s32 $0, $1, $2;": lambda x, y: max(min(x + y, 2**31 - 1), -(2**31)),
    "sub.sat.s32 $0, $1, $2;": lambda x, y: max(min(x - y, 2**31 - 1), -(2**31)),
    "{ .reg .b8 b; cvt.sat.s8.s32 b, $1; cvt.s32.s8 $0, b; }": lambda x, y: max(min(x, 127), -128),
    "{ .reg .b8 b; cvt.sat.u8.s32 b, $1; cvt.u32.u8 $0, b; }": lambda x, y: max(min(x, 255), 0),
    "{ .reg .b16 b; cvt.sat.s16.u32 b, $1; cvt.s32.s16 $0, b; }": lambda x, y: min(unsigned(x), 32767),
    "cvt.sat.s32.u32 $0, $1;": lambda x, y: min(unsigned(x), 2**31 - 1),
    "cvt.sat.u32.s32 $0, $1;": lambda x, y: max(x, 0),
    "{ .reg .b64 d; cvt.s64.s32 d, $1; shl.b64 d, d, 3; cvt.sat.s32.s64 $0, d; }":
        lambda x, y: max(min(8 * x, 2**31 - 1), -(2**31)),
}  # fmt: skip


@pytest.mark.parametrize("asm", INTEGERS)
def test_integers(run: Run, asm: str) -> None:
    out = torch.zeros_like(WORDS)
    run(combined, (1,), WORDS, OTHERS, out, len(WORDS), PREDICATE.format(asm), "=r,r,r", tl.int32)
    expected = [INTEGERS[asm](x, y) for x, y in zip(WORDS.tolist(), OTHERS.tolist(), strict=True)]
    assert out.tolist() == expected


FLOATS = [0.0, -0.0, 1.0, -1.5, 0.25, 1e-3, -7.125, 0.75, 1e30, -1e30, math.inf, -math.inf, math.nan, 0.1, 2.5, 1.5]
X = torch.tensor([x for x in FLOATS for _ in FLOATS])
Y = torch.tensor([y for _ in FLOATS for y in FLOATS])
COMPARISONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "eq": torch.eq, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge,
    "ne": lambda x, y: x.ne(y) & ~x.isnan() & ~y.isnan(),
    "num": lambda x, y: ~x.isnan() & ~y.isnan(), "nan": lambda x, y: x.isnan() | y.isnan(),
    **{f"{name}u": lambda x, y, compare=compare: compare(x, y) | x.isnan() | y.isnan()
       for name, compare in {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt,
                             "ge": torch.ge}.items()},
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_of_floats(run: Run, name: str) -> None:
    out = torch.zeros_like(X)
    asm = PREDICATE.format(f"setp.{name}.ftz.f32 p|q, $1, $2; selp.f32 $0, 1.0, 0f40000000, p; @q add.f32 $0, $0, 4.0;")
    run(combined, (1,), X, Y, out, len(X), asm, "=f,f,f", tl.float32)
    assert out.tolist() == [1.0 if each else 6.0 for each in COMPARISONS[name](X, Y).tolist()]


def clamped(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x.isnan(), 0.0, x).clamp(0.0, 1.0) + 0.0


HELD: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add.sat.f32 $0, $1, $2;": lambda x, y: clamped(x + y),
    "sub.rn.sat.f32 $0, $1, $2;": lambda x, y: clamped(x - y),
    "mul.sat.f32 $0, $1, $2;": lambda x, y: clamped(x * y),
    "fma.rn.sat.f32 $0, $1, $2, 0.5;": lambda x, y: clamped((x.double() * y.double() + 0.5).float()),
    "cvt.sat.f32.f32 $0, $1;": lambda x, y: clamped(x),
    "cvt.rni.f32.f32 $0, $1;": lambda x, y: x.round(),
    "cvt.rzi.f32.f32 $0, $1;": lambda x, y: x.trunc(),
    "cvt.rmi.sat.f32.f32 $0, $1;": lambda x, y: clamped(x.floor()),
    "cvt.f32.f32 $0, $2;": lambda x, y: y,
    "{ .reg .b16 h; cvt.rn.sat.f16.f32 h, $1; cvt.f32.f16 $0, h; }": lambda x, y: clamped(x.half().float()),
    "{ .reg .b16 h; cvt.rn.relu.bf16.f32 h, $1; cvt.f32.bf16 $0, h; }":
        lambda x, y: torch.where(x.isnan(), x, x.relu()).bfloat16().float() + 0.0,
    "{ .reg .s32 n; cvt.rzi.sat.s32.f32 n, $1; cvt.rn.f32.s32 $0, n; }":
        lambda x, y: x.double().nan_to_num(0.0).trunc().clamp(-(2**31), 2**31 - 1).float() + 0.0,
}  # fmt: skip


@pytest.mark.parametrize("asm", HELD)
def test_results_within_bounds(run: Run, asm: str) -> None:
    out = torch.zeros_like(X)
    run(combined, (1,), X, Y, out, len(X), asm, "=f,f,f", tl.float32)
    expected = HELD[asm](X, Y)
    torch.testing.assert_close(out, expected, rtol=0, atol=0, equal_nan=True)
    if "sat" in asm or "relu" in asm:
        assert torch.signbit(out[~out.isnan()]).sum() == torch.signbit(expected[~expected.isnan()]).sum()


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_pairs_that_are_not_negative(run: Run, kind: torch.dtype) -> None:
    x, y = X.to(kind), Y.to(kind)
    name = "f16" if kind is torch.float16 else "bf16"
    out = torch.zeros(len(X) // 2, 2, dtype=kind).view(torch.int32).flatten()
    pairs = (x.view(torch.int32), y.view(torch.int32))
    run(combined, (1,), *pairs, out, len(out), f"fma.rn.relu.{name}x2 $0, $1, $2, $2;", "=r,r,r", tl.int32)
    pairs_of = zip(x.tolist(), y.tolist(), strict=True)
    sums = [rounded_once(Fraction(a) * Fraction(b) + Fraction(b), kind) if math.isfinite(a + b) else a * b + b
            for a, b in pairs_of]  # fmt: skip
    exact = torch.tensor(sums).to(kind)
    expected = torch.where(exact.isnan() | (exact > 0), exact, 0.0)
    torch.testing.assert_close(out.view(kind), expected, rtol=0, atol=0, equal_nan=True)


def test_a_comparison_of_pairs_has_two_predicates(run: Run) -> None:
    halves = [struct.unpack("<e", struct.pack("<e", each if abs(each) < 1e4 else 1e4))[0] for each in FLOATS]
    x = torch.tensor(halves, dtype=torch.float16)
    y = x.roll(3)
    out = torch.zeros(8, dtype=torch.int32)
    asm = """{ .reg .pred p<2>; .reg .b16 a<2>, b<2>; mov.b32 {a0, a1}, $1; mov.b32 {b0, b1}, $2;
               setp.lt.f16x2 p0|p1, $1, $2; selp.b16 a0, a0, b0, p0; selp.b16 a1, a1, b1, p1; mov.b32 $0, {a0, a1}; }"""
    run(combined, (1,), x.view(torch.int32), y.view(torch.int32), out, 8, asm, "=r,r,r", tl.int32)
    expected = torch.where(x < y, x, y)
    torch.testing.assert_close(out.view(torch.float16), expected, rtol=0, atol=0, equal_nan=True)
