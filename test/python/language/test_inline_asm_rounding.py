"""Tests of conversions in assembly to 4 to 16 bits, to nearest and by random bits, against exact arithmetic."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


def grid(exponent_bits: int, mantissa_bits: int, bias: int, count: int) -> list[Fraction]:
    """Returns the numbers of the first codes of a format."""
    numbers = []
    for code in range(count):
        exponent, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
        digits = mantissa + ((1 << mantissa_bits) if exponent else 0)
        numbers.append(Fraction(digits) * Fraction(2) ** (max(exponent, 1) - bias - mantissa_bits))
    return numbers


# The codes from 0 up to the largest number; the bits of a code, with its sign; the code of NaN.
FORMATS = {
    "e2m1": (grid(2, 1, 1, 8), 4, 7),
    "e2m3": (grid(2, 3, 1, 32), 6, 31),
    "e3m2": (grid(3, 2, 3, 32), 6, 31),
    "e4m3": (grid(4, 3, 7, 127), 8, 0x7F),
    "e5m2": (grid(5, 2, 15, 124), 8, 0x7F),
    "f16": (grid(5, 10, 15, 0x7C01), 16, 0x7FFF),  # Infinity is at 65536.
}


def code_of(x: float, name: str, round_up: Callable[[Fraction, int], bool]) -> int:
    """Returns the code of a number; `round_up` gets its distance from the next lower one, and the code of that."""
    numbers, bits, nan = FORMATS[name]
    if np.isnan(x):
        return nan
    sign = int(np.signbit(x)) << (bits - 1)
    if np.isinf(x) or abs(Fraction(x)) >= numbers[-1]:
        return sign | (len(numbers) - 1)
    size = abs(Fraction(x))
    below = bisect.bisect_right(numbers, size) - 1
    part = (size - numbers[below]) / (numbers[below + 1] - numbers[below])
    return sign | (below + round_up(part, below))


def to_nearest(part: Fraction, below: int) -> bool:
    return part > Fraction(1, 2) or (part == Fraction(1, 2) and below % 2 == 1)


def inputs(name: str, count: int) -> torch.Tensor:
    generator = np.random.default_rng(7)
    numbers = FORMATS[name][0]
    middle = [float((a + b) / 2) for a, b in itertools.pairwise(numbers[:41])]
    special = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-40, -1e-30, 1e30, -7e4, float(numbers[-1]),
               float(numbers[-2]), *middle, *(-each for each in middle)]  # fmt: skip
    scales = np.exp2(generator.uniform(-12, 6, count))
    drawn = np.concatenate([special, generator.standard_normal(count) * scales])[:count]
    return torch.tensor(drawn, dtype=torch.float32)


@blockdsl.jit
def of_pairs(x, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)
    packed = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + 2 * at), tl.load(x + 2 * at + 1)], KIND, True, 1)
    tl.store(out + at, packed)


@pytest.mark.cpu_only  # For newer GPUs.
@pytest.mark.parametrize("name", ["e2m1", "e2m3", "e3m2", "e4m3", "e5m2"])
@pytest.mark.parametrize("relu", ["", ".relu"])
def test_pairs_of_small_floats_are_the_nearest(run: Run, name: str, relu: str) -> None:
    x = inputs(name, 256)
    out = torch.zeros(128, dtype=torch.int32)
    width = "8" if name == "e2m1" else "16"
    asm = f"{{ .reg .b{width} t; cvt.rn.satfinite{relu}.{name}x2.f32 t, $2, $1; cvt.u32.u{width} $0, t; }}"
    run(of_pairs, (1,), x, out, 128, asm, "=r,f,f", tl.int32)
    values = [0.0 if relu and each <= 0 else each for each in x.tolist()]
    codes = [code_of(each, name, to_nearest) for each in values]
    shift = 4 if name == "e2m1" else 8
    assert out.tolist() == [low | high << shift for low, high in zip(codes[::2], codes[1::2], strict=True)]


@pytest.mark.cpu_only
@pytest.mark.parametrize("name", ["e2m1", "e2m3", "e3m2", "e4m3", "e5m2"])
@pytest.mark.parametrize("source", [torch.float16, torch.bfloat16])
def test_pairs_of_halves_become_small_floats(run: Run, name: str, source: torch.dtype) -> None:
    x = inputs(name, 256).to(source)
    out = torch.zeros(128, dtype=torch.int32)
    width = "8" if name == "e2m1" else "16"
    ptx_type = "f16x2" if source is torch.float16 else "bf16x2"
    asm = f"{{ .reg .b{width} t; cvt.rn.satfinite.{name}x2.{ptx_type} t, $1; cvt.u32.u{width} $0, t; }}"
    run(of_words, (1,), x.view(torch.int32), out, 128, asm, tl.int32)
    codes = [code_of(each, name, to_nearest) for each in x.tolist()]
    shift = 4 if name == "e2m1" else 8
    assert out.tolist() == [low | high << shift for low, high in zip(codes[::2], codes[1::2], strict=True)]


@blockdsl.jit
def of_words(x, out, N: tl.constexpr, ASM: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.inline_asm_elementwise(ASM, "=r,r", [tl.load(x + at)], KIND, True, 1))


@pytest.mark.cpu_only
@pytest.mark.parametrize("name", ["e2m1", "e2m3", "e3m2", "e4m3", "e5m2"])
def test_every_small_float_becomes_a_half(run: Run, name: str) -> None:
    numbers, bits, _ = FORMATS[name]
    finite = len(numbers)
    codes = torch.arange(1 << bits, dtype=torch.int32)
    out = torch.zeros_like(codes)
    width = "8" if name == "e2m1" else "16"
    asm = f"{{ .reg .b{width} t; cvt.u{width}.u32 t, $1; cvt.rn.f16x2.{name}x2 $0, t; }}"
    run(of_words, (1,), codes, out, len(codes), asm, tl.int32)
    halves = (out & 0xFFFF).to(torch.int16).view(torch.float16).tolist()
    sign = 1 << (bits - 1)
    for code, half in enumerate(halves):
        if code % sign < finite:
            expected = float(numbers[code % sign])
            assert half == (-expected if code >= sign else expected)
            assert bool(np.signbit(half)) == (code >= sign)


SCALES = {
    ("rz", ""): lambda x: 255 if np.isnan(x) or np.isinf(x) else exponent_below(x),
    ("rp", ".satfinite"): lambda x: 255 if np.isnan(x) else 254 if np.isinf(x) else min(exponent_above(x), 254),
    ("rz", ".satfinite"): lambda x: 255 if np.isnan(x) else 254 if np.isinf(x) else exponent_below(x),
}


def exponent_below(x: float) -> int:
    return max(int(np.floor(np.log2(abs(x)))) + 127, 0) if x else 0


def exponent_above(x: float) -> int:
    return max(int(np.ceil(np.log2(abs(x)))) + 127, 0) if x else 0


@pytest.mark.cpu_only
@pytest.mark.parametrize(("rounding", "finite"), SCALES)
def test_scales_are_powers_of_two(run: Run, rounding: str, finite: str) -> None:
    powers = [2.0**each for each in range(-126, 128, 17)]
    between = [1.5 * each for each in powers]
    edges = [0.0, float("inf"), float("nan"), 2.0**-127, 2.0**-128, 1.75 * 2.0**-127, -3.0, 3.4e38, 1.0, 1.0000001]
    x = torch.tensor([*powers, *between, *edges], dtype=torch.float32)
    x = torch.cat([x, torch.ones(64 - len(x))])
    out = torch.zeros(32, dtype=torch.int32)
    asm = f"{{ .reg .b16 t; cvt.{rounding}{finite}.ue8m0x2.f32 t, $2, $1; cvt.u32.u16 $0, t; }}"
    run(of_pairs, (1,), x, out, 32, asm, "=r,f,f", tl.int32)
    codes = [SCALES[rounding, finite](each) for each in x.tolist()]
    assert out.tolist() == [low | high << 8 for low, high in zip(codes[::2], codes[1::2], strict=True)]


@pytest.mark.cpu_only
def test_every_scale_becomes_a_half(run: Run) -> None:
    codes = torch.arange(256, dtype=torch.int32)
    out = torch.zeros_like(codes)
    asm = "{ .reg .b16 t; cvt.u16.u32 t, $1; cvt.rn.bf16x2.ue8m0x2 $0, t; }"
    run(of_words, (1,), codes, out, 256, asm, tl.int32)
    halves = (out & 0xFFFF).to(torch.int16).view(torch.bfloat16).double().tolist()
    assert halves[:255] == [2.0 ** (code - 127) for code in range(255)]
    assert np.isnan(halves[255])


@blockdsl.jit
def by_random_bits(x, random, out, N: tl.constexpr, ASM: tl.constexpr, KIND: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, N)
    bits = tl.load(random + at // COUNT)
    inputs: tl.constexpr = ",f,f,r,r" if COUNT == 2 else ",f,f,f,f,r,r,r,r"
    tl.store(out + at, tl.inline_asm_elementwise(ASM, "=r" + inputs, [tl.load(x + at), bits], KIND, True, COUNT))


def reversed16(bits: int) -> int:
    return int(f"{bits:016b}"[::-1], 2)


def fractions_of(name: str, word: int) -> list[Fraction]:
    """Returns the random number of each lane, which is added to its distance from the next lower number, in units."""
    low, high = word & 0xFFFF, word >> 16
    if name == "f16":
        return [Fraction(half & 0x1FFF, 1 << 13) for half in (low, high)]
    if name == "e2m1":
        bytes_ = word.to_bytes(4, "little")
        low, high = bytes_[2] << 8 | bytes_[0], bytes_[3] << 8 | bytes_[1]
    return [Fraction(part, 1 << 16) for part in (low, reversed16(low), high, reversed16(high))]


# Four codes of four bits, one in each byte.
NIBBLES = """{{ .reg .b16 t; .reg .b32 w, each;
    cvt.rs.satfinite.e2m1x4.f32 t, {}
    cvt.u32.u16 w, t;
    and.b32 $0, w, 15;
    bfe.u32 each, w, 4, 4;  bfi.b32 $0, each, $0, 8, 8;
    bfe.u32 each, w, 8, 4;  bfi.b32 $0, each, $0, 16, 8;
    bfe.u32 each, w, 12, 4; bfi.b32 $0, each, $0, 24, 8; }}"""


@pytest.mark.cpu_only
@pytest.mark.parametrize("name", ["f16", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1"])
def test_random_bits_round_up_on_carry(run: Run, name: str) -> None:
    count = 2 if name == "f16" else 4
    x = inputs(name, 1024)
    words = np.random.default_rng(3).integers(0, 2**32, 1024 // count, dtype=np.uint32)
    words[:4] = [0, 0xFFFFFFFF, 0x80000001, 0x00010000]
    kind, finite = (torch.uint8, ".satfinite") if count == 4 else (torch.float16, "")
    out = torch.zeros(1024, dtype=kind)
    sources = "$2, $1, $3;" if count == 2 else "{$4, $3, $2, $1}, $5;"
    asm = f"cvt.rs{finite}.{name}x{count}.f32 $0, {sources}" if name != "e2m1" else NIBBLES.format(sources)
    run(by_random_bits, (1,), x, torch.from_numpy(words.view(np.int32)), out, 1024, asm,
        tl.float16 if count == 2 else tl.uint8, count)  # fmt: skip
    got = out.view(torch.int16).tolist() if count == 2 else out.tolist()
    for at, value in enumerate(x.tolist()):
        fraction = fractions_of(name, int(words[at // count]))[at % count]
        expected = code_of(value, name, lambda part, below, fraction=fraction: part + fraction >= 1)
        assert got[at] % 65536 == expected, (value, hex(words[at // count]), at)


@pytest.mark.cpu_only
@pytest.mark.parametrize("finite", ["", ".satfinite"])
def test_random_bits_are_added_to_the_lower_half_of_a_float(run: Run, finite: str) -> None:
    x = inputs("f16", 1024)
    x[-4:] = torch.tensor([3.4028235e38, -3.4028235e38, 1e-40, -3e-39])
    words = np.random.default_rng(4).integers(0, 2**32, 512, dtype=np.uint32)
    words[-2:] = 0xFFFFFFFF
    out = torch.zeros(1024, dtype=torch.bfloat16)
    asm = f"cvt.rs{finite}.bf16x2.f32 $0, $2, $1, $3;"
    run(by_random_bits, (1,), x, torch.from_numpy(words.view(np.int32)), out, 1024, asm, tl.bfloat16, 2)
    bits = x.numpy().view(np.uint32).astype(np.uint64)
    size, sign = bits & 0x7FFFFFFF, bits >> 31 << 15
    halves = np.stack([words & 0xFFFF, words >> 16], axis=1).reshape(-1).astype(np.uint64)
    expected = np.minimum((size + halves) >> 16, 0x7F7F if finite else 0x7F80) | sign
    got = out.view(torch.int16).numpy().view(np.uint16)
    is_nan = size > 0x7F800000
    assert (got[~is_nan] == expected[~is_nan]).all()
    assert out[torch.from_numpy(is_nan)].isnan().all()


TF32 = {
    "rna": lambda size: (size + 0x1000) >> 13 << 13,
    "rn": lambda size: (size + 0xFFF + (size >> 13 & 1)) >> 13 << 13,
    "rz": lambda size: size >> 13 << 13,
}


@pytest.mark.cpu_only
@pytest.mark.parametrize("rounding", TF32)
def test_tf32_has_ten_bits_of_mantissa(run: Run, rounding: str) -> None:
    x = inputs("f16", 256)
    out = torch.zeros(256, dtype=torch.int32)
    run(of_words, (1,), x, out, 256, f"cvt.{rounding}.tf32.f32 $0, $1;", tl.int32)
    bits = x.numpy().view(np.uint32).astype(np.int64)
    size = bits & 0x7FFFFFFF
    expected = np.where(size > 0x7F800000, 0x7FFFFFFF, TF32[rounding](size) | bits >> 31 << 31)
    assert (out.numpy().view(np.uint32) == expected).all()


@pytest.mark.cpu_only
@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_halves_saturate(run: Run, kind: torch.dtype) -> None:
    x = torch.tensor([1e30, -1e30, float("inf"), -float("inf"), float("nan"), 65519.0, 65520.0, 3.4028235e38, 1.0, -2.5,
                      0.0, -0.0, 1e-8, 70000.0, 3.3961775e38, 100.0])  # fmt: skip
    out = torch.zeros(8, dtype=torch.int32)
    name, largest = ("f16x2", 65504.0) if kind is torch.float16 else ("bf16x2", 3.3895313892515355e38)
    run(of_pairs, (1,), x, out, 8, f"cvt.rn.satfinite.{name}.f32 $0, $2, $1;", "=r,f,f", tl.int32)
    expected = x.to(kind).float().clamp(-largest, largest)
    torch.testing.assert_close(out.view(kind).float(), expected, rtol=0, atol=0, equal_nan=True)
