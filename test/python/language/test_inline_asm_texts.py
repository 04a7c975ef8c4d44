"""Tests of assembly from libraries of GPU kernels: unpacking of four bits, packed arithmetic, integer products."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

COUNT = 64


def words(seed: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).integers(0, 2**32, COUNT, dtype=np.uint32)
    drawn[:6] = [0, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 1, 0x00FF00FF]
    return drawn


X, Y = words(1), words(2)[::-1].copy()


def signed(x: np.ndarray) -> np.ndarray:
    return x.view(np.int32).astype(np.int64)


def bytes_of(x: np.ndarray, kind: type) -> np.ndarray:
    return x.view(np.uint8).view(kind).reshape(COUNT, 4).astype(np.int64)


def reversed_bits(x: np.ndarray) -> np.ndarray:
    return np.array([int(f"{each:032b}"[::-1], 2) for each in x])


def funnel(low: np.ndarray, high: np.ndarray, amount: np.ndarray, is_left: bool) -> np.ndarray:
    both = low.astype(object) | high.astype(object) << 32
    return np.array([(b << int(a)) >> 32 if is_left else b >> int(a) for b, a in zip(both, amount, strict=True)])


INTEGERS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "brev.b32 $0, $1;": lambda x, y: reversed_bits(x),
    "popc.b32 $0, $1;": lambda x, y: np.array([int(each).bit_count() for each in x]),
    "clz.b32 $0, $1;": lambda x, y: np.array([32 - int(each).bit_length() for each in x]),
    "mul.hi.u32 $0, $1, $2;": lambda x, y: (x.astype(np.uint64) * y) >> np.uint64(32),
    "mul.hi.s32 $0, $1, $2;": lambda x, y: (signed(x) * signed(y)) >> 32,
    "mad.hi.u32 $0, $1, $2, 5;": lambda x, y: ((x.astype(np.uint64) * y) >> np.uint64(32)) + np.uint64(5),
    "{ .reg .b64 w; mul.wide.s32 w, $1, $2; shr.s64 w, w, 7; cvt.u32.u64 $0, w; }":
        lambda x, y: (signed(x) * signed(y)) >> 7,
    "{ .reg .b64 w; mul.wide.u32 w, $1, 3; mad.wide.u32 w, $1, $2, w; shr.u64 w, w, 32; cvt.u32.u64 $0, w; }":
        lambda x, y: (x.astype(object) * 3 + x.astype(object) * y.astype(object)) % 2**64 >> 32,
    "{ .reg .b16 l, h; mov.b32 {l, _}, $1; mov.b32 {_, h}, $2; mul.wide.u16 $0, l, h; }":
        lambda x, y: (x & 0xFFFF).astype(np.int64) * (y >> 16),
    "dp4a.s32.s32 $0, $1, $2, 7;": lambda x, y: (bytes_of(x, np.int8) * bytes_of(y, np.int8)).sum(axis=1) + 7,
    "dp4a.u32.s32 $0, $1, $2, -1;": lambda x, y: (bytes_of(x, np.uint8) * bytes_of(y, np.int8)).sum(axis=1) - 1,
    "shf.l.wrap.b32 $0, $1, $2, $2;": lambda x, y: funnel(x, y, y & 31, True),
    "shf.r.wrap.b32 $0, $1, $2, 13;": lambda x, y: funnel(x, y, np.full(COUNT, 13), False),
    "shf.r.clamp.b32 $0, $1, $2, $1;": lambda x, y: funnel(x, y, np.minimum(x, 32), False),
    "sad.s32 $0, $1, $2, 9;": lambda x, y: abs(signed(x) - signed(y)) + 9,
    "sad.u32 $0, $1, $2, $1;": lambda x, y: abs(x.astype(np.int64) - y) + x,
    "div.u32 $0, $1, 7;": lambda x, y: x // 7,
    "rem.u32 $0, $1, 7;": lambda x, y: x % 7,
    "{ .reg .s32 odd; or.b32 odd, $2, 1; div.s32 $0, $1, odd; }": lambda x, y: truncated(x, y)[0],
    "{ .reg .s32 odd; or.b32 odd, $2, 1; rem.s32 $0, $1, odd; }": lambda x, y: truncated(x, y)[1],
    "{ .reg .u16 l, h; mov.b32 {l, h}, $1; div.u16 l, l, 10; rem.u16 h, h, 10; mov.b32 $0, {l, h}; }":
        lambda x, y: (x & 0xFFFF) // 10 | (x >> 16) % 10 << 16,
    # Sign-extends groups of four bits to bytes.
    """{ .reg .b32 shifted, bits, sign;
         shr.u32 shifted, $1, 4;
         prmt.b32 bits, $1, shifted, 0x5140;
         and.b32 bits, bits, 0x0f0f0f0f;
         and.b32 sign, bits, 0x08080808;
         mad.lo.u32 $0, sign, 30, bits; }""": lambda x, y: sign_extended_nibbles(x),
}  # fmt: skip


def truncated(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the quotient by an odd number, rounded toward zero as in C, and its remainder."""
    x, y = signed(x), signed(y | 1)
    quotient = abs(x) // abs(y) * np.sign(x) * np.sign(y)
    return quotient, x - quotient * y


def sign_extended_nibbles(x: np.ndarray) -> np.ndarray:
    nibbles = np.stack([x & 15, (x >> 4) & 15, (x >> 8) & 15, (x >> 12) & 15], axis=1).astype(np.int64)
    extended = np.where(nibbles >= 8, nibbles - 16, nibbles) & 0xFF
    return sum(extended[:, at] << 8 * at for at in range(4))


@blockdsl.jit
def of_two(x, y, out, N: tl.constexpr, ASM: tl.constexpr):
    at = tl.arange(0, N)
    z = tl.inline_asm_elementwise(ASM, "=r,r,r", [tl.load(x + at), tl.load(y + at)], tl.int32, True, 1)
    tl.store(out + at, z)


def computed(run: Run, asm: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = torch.zeros(COUNT, dtype=torch.int32)
    run(of_two, (1,), torch.from_numpy(x.view(np.int32)), torch.from_numpy(y.view(np.int32)), out, COUNT, asm)
    return out.numpy().view(np.uint32)


@pytest.mark.parametrize("asm", INTEGERS)
def test_integers(run: Run, asm: str) -> None:
    expected = [int(each) % 2**32 for each in INTEGERS[asm](X, Y)]
    assert computed(run, asm, X, Y).tolist() == expected


def halves(kind: torch.dtype, seed: int) -> torch.Tensor:
    x = torch.randn(2 * COUNT, generator=torch.Generator().manual_seed(seed)).to(kind)
    x[:8] = torch.tensor([0.0, -0.0, float("inf"), float("nan"), -float("inf"), 1.0, -2.0, 1e-5])
    return x


def nan_gives_way(x: torch.Tensor, y: torch.Tensor, choose: Callable) -> torch.Tensor:
    return choose(x.float(), y.float()).to(x.dtype)


def sign_of_both(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    size = torch.fmax(x.abs().float(), y.abs().float())
    return torch.where(torch.signbit(x) != torch.signbit(y), -size, size).to(x.dtype)


PAIRS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add.rn.{}x2 $0, $1, $2;": lambda x, y: x + y,
    "sub.{}x2 $0, $1, $2;": lambda x, y: x - y,
    "mul.rn.{}x2 $0, $1, $2;": lambda x, y: x * y,
    "min.{}x2 $0, $1, $2;": lambda x, y: nan_gives_way(x, y, torch.fmin),
    "max.NaN.{}x2 $0, $1, $2;": torch.maximum,
    "max.xorsign.abs.{}x2 $0, $1, $2;": sign_of_both,
    "neg.{}x2 $0, $1;": lambda x, y: -x,
    "abs.{}x2 $0, $2;": lambda x, y: y.abs(),
    "{{ .reg .b16 l, h; mov.b32 {{l, h}}, $1; neg.{0} h, h; mov.b32 $0, {{h, l}}; }}":
        lambda x, y: torch.stack([-x[1::2], x[::2]], dim=1).flatten(),
    "{{ .reg .f32 a, b; .reg .b16 l, h; mov.b32 {{l, h}}, $1; cvt.f32.{0} a, l; cvt.f32.{0} b, h; "
    "add.f32 a, a, 1.0; cvt.rn.{0}x2.f32 $0, b, a; }}":
        lambda x, y: torch.stack([(x[::2].float() + 1).to(x.dtype), x[1::2]], dim=1).flatten(),
    "cvt.rn.relu.{}x2.f32 $0, 0fBF800000, 0f40490FDB;":
        lambda x, y: torch.tensor([3.14159274, 0.0]).to(x.dtype).repeat(COUNT),
}  # fmt: skip


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("asm", PAIRS)
def test_pairs_of_halves(run: Run, asm: str, kind: torch.dtype) -> None:
    x, y = halves(kind, 1), halves(kind, 2).roll(3)
    if "xorsign" in asm:
        # The sign of a NaN is undefined.
        x, y = x.nan_to_num(), y.nan_to_num()
    name = "f16" if kind is torch.float16 else "bf16"
    bits = computed(run, asm.format(name), x.view(torch.int32).numpy().view(np.uint32),
                    y.view(torch.int32).numpy().view(np.uint32))  # fmt: skip
    got = torch.from_numpy(bits.view(np.int32).copy()).view(kind)
    torch.testing.assert_close(got, PAIRS[asm](x, y), rtol=0, atol=0, equal_nan=True)


@blockdsl.jit
def weighted_pairs(a, b, w, out, N: tl.constexpr):
    at = tl.arange(0, N)
    packed = tl.inline_asm_elementwise(
        """{ .reg .b32 weight, zero;
             cvt.rn.bf16x2.f32 $0, $2, $1;
             cvt.rn.bf16x2.f32 weight, $3, $3;
             mov.b32 zero, 0x80008000;
             fma.rn.bf16x2 $0, $0, weight, zero; }""",
        constraints="=r,f,f,f",
        args=[tl.load(a + at), tl.load(b + at), tl.load(w + at)],
        dtype=tl.uint32,
        is_pure=True,
        pack=1,
    )
    tl.store(out + at, packed)


def test_products_of_pairs_keep_the_sign_of_zero(run: Run) -> None:
    a, b, w = (torch.randn(COUNT, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2, 3))
    a[0], w[0] = -1.0, 0.0
    out = torch.zeros(COUNT, dtype=torch.int32)
    run(weighted_pairs, (1,), a, b, w, out, COUNT)
    pairs = torch.stack([a, b], dim=1).bfloat16() * w.bfloat16()[:, None]
    assert out.view(torch.int16).tolist() == pairs.flatten().view(torch.int16).tolist()


@blockdsl.jit
def floats_of_pairs(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    both = tl.inline_asm_elementwise(
        "{ .reg .b64 a, b; mov.b64 a, {$2, $3}; mov.b64 b, {$4, $5}; fma.rn.f32x2 a, a, b, b; mov.b64 {$0, $1}, a; }",
        "=f,=f,f,f,f,f",
        [tl.load(x + at), tl.load(y + at)],
        dtype=tl.float32,
        is_pure=True,
        pack=2,
    )
    tl.store(out + at, both)


@pytest.mark.cpu_only  # For newer GPUs.
def test_pairs_of_floats_in_wide_registers(run: Run) -> None:
    x, y = (torch.randn(COUNT, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))
    out = torch.zeros(COUNT)
    run(floats_of_pairs, (1,), x, y, out, COUNT)
    assert torch.equal(out, (x.double() * y.double() + y.double()).float())


@blockdsl.jit
def packed_quarters(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    even, odd = tl.load(x + 2 * at), tl.load(x + 2 * at + 1)
    packed = tl.inline_asm_elementwise(
        """{ .reg .b8 byte0, byte1, byte2, byte3;
             cvt.rn.satfinite.e2m1x2.f32 byte0, $5, $1;
             cvt.rn.satfinite.e2m1x2.f32 byte1, $6, $2;
             cvt.rn.satfinite.e2m1x2.f32 byte2, $7, $3;
             cvt.rn.satfinite.e2m1x2.f32 byte3, $8, $4;
             mov.b32 $0, {byte0, byte1, byte2, byte3}; }""",
        constraints="=r,r,r,r,r,r,r,r,r",
        args=[even, odd],
        dtype=tl.uint8,
        is_pure=True,
        pack=4,
    )
    tl.store(out + at, packed)


@pytest.mark.cpu_only
def test_eight_floats_become_four_bytes(run: Run) -> None:
    levels = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
    codes = torch.randint(0, 16, (2 * COUNT,), generator=torch.Generator().manual_seed(9))
    x = torch.where(codes >= 8, -levels[codes % 8], levels[codes % 8]) * 1.05
    out = torch.zeros(COUNT, dtype=torch.uint8)
    run(packed_quarters, (1,), x, out, COUNT)
    assert out.tolist() == (codes[::2] | codes[1::2] << 4).tolist()


@blockdsl.jit
def exponents(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    exponent = tl.inline_asm_elementwise(
        "{ lg2.approx.f32 $1, $1; cvt.rpi.f32.f32 $1, $1; cvt.rzi.s32.f32 $0, $1; }",
        "=r,r",
        [tl.load(x + at)],
        dtype=tl.int32,
        is_pure=True,
        pack=1,
    )
    tl.store(out + at, exponent)


def test_registers_of_operands_may_be_written(run: Run) -> None:
    x = torch.tensor([1.5, 3.0, 0.3, 100.0] * (COUNT // 4))
    out = torch.zeros(COUNT, dtype=torch.int32)
    run(exponents, (1,), x, out, COUNT)
    assert out[:4].tolist() == [1, 2, -1, 7]
