"""Products in microscaling formats: every pair of formats, either packing, scales of both kinds, special values."""

from __future__ import annotations

import itertools

import pytest
import torch
from reference_checks import Run, check

import blockdsl
import blockdsl.language as tl

FORMATS = ["e2m1", "e4m3", "e5m2", "bf16", "fp16"]
TYPES = {
    "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "bf16": torch.bfloat16, "fp16": torch.float16,
}  # fmt: skip
E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)


@blockdsl.jit
def product(
    a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, A: tl.constexpr, B: tl.constexpr, A_PACK: tl.constexpr,
    B_PACK: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr, ACC: tl.constexpr,
):  # fmt: skip
    am: tl.constexpr = M // (2 if A == "e2m1" and not A_PACK else 1)
    ak: tl.constexpr = K // (2 if A == "e2m1" and A_PACK else 1)
    bk: tl.constexpr = K // (2 if B == "e2m1" and B_PACK else 1)
    bn: tl.constexpr = N // (2 if B == "e2m1" and not B_PACK else 1)
    a = tl.load(a_ptr + tl.arange(0, am)[:, None] * ak + tl.arange(0, ak)[None, :])
    b = tl.load(b_ptr + tl.arange(0, bk)[:, None] * bn + tl.arange(0, bn)[None, :])
    a_scale, b_scale = None, None
    groups = tl.arange(0, K // GROUP)[None, :]
    if a_scale_ptr is not None:
        a_scale = tl.load(a_scale_ptr + tl.arange(0, M)[:, None] * (K // GROUP) + groups)
    if b_scale_ptr is not None:
        b_scale = tl.load(b_scale_ptr + tl.arange(0, N)[:, None] * (K // GROUP) + groups)
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    if ACC:
        c = tl.dot_scaled(a, a_scale, A, b, b_scale, B, acc=tl.load(c_ptr + at), lhs_k_pack=A_PACK, rhs_k_pack=B_PACK)
    else:
        c = tl.dot_scaled(a, a_scale, A, b, b_scale, B, lhs_k_pack=A_PACK, rhs_k_pack=B_PACK)
    tl.store(c_ptr + at, c)


def factor(form: str, rows: int, columns: int, pack: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the bytes in memory, and their values; along dimension ``pack`` a byte holds two elements."""
    generator = torch.Generator().manual_seed(rows + columns)
    if form != "e2m1":
        stored = torch.randn(rows, columns, generator=generator).to(TYPES[form])
        return stored, stored.double()
    nibbles = torch.randint(0, 16, (rows, columns), generator=generator)
    low, high = (nibbles[::2], nibbles[1::2]) if pack == 0 else (nibbles[:, ::2], nibbles[:, 1::2])
    return (low | high << 4).to(torch.uint8).contiguous(), E2M1[nibbles]


def exponents(rows: int, columns: int) -> torch.Tensor:
    return torch.randint(117, 137, (rows, columns), generator=torch.Generator().manual_seed(rows)).to(torch.uint8)


def spread(scale: torch.Tensor, group: int) -> torch.Tensor:
    numbers = torch.exp2(scale.double() - 127) if scale.dtype == torch.uint8 else scale.double()
    return numbers.repeat_interleave(group, 1)


@pytest.mark.parametrize(("left", "right"), list(itertools.product(FORMATS, FORMATS)))
def test_formats(run: Run, left: str, right: str) -> None:
    (a, a_means), (b, b_means) = factor(left, 32, 64, 1), factor(right, 64, 16, 0)
    a_scale, b_scale, c = exponents(32, 2), exponents(16, 2), torch.ones(32, 16)
    run(product, (1,), a, a_scale, b, b_scale, c, A=left, B=right, A_PACK=True, B_PACK=True, M=32, N=16, K=64,
        GROUP=32, ACC=True)  # fmt: skip
    expected = (a_means * spread(a_scale, 32)) @ (b_means * spread(b_scale, 32).T) + 1
    check(c, expected, scale=float(expected.abs().max()))


@pytest.mark.parametrize(("a_pack", "b_pack"), [(False, True), (True, False), (False, False)])
@pytest.mark.parametrize("scaled", ["left", "right", "neither"])
def test_packing_along_the_outer_dimension(run: Run, a_pack: bool, b_pack: bool, scaled: str) -> None:
    (a, a_means), (b, b_means) = factor("e2m1", 32, 64, int(a_pack)), factor("e2m1", 64, 16, int(not b_pack))
    a_scale = exponents(32, 2) if scaled == "left" else None
    b_scale = exponents(16, 2) if scaled == "right" else None
    c = torch.zeros(32, 16)
    run(product, (1,), a, a_scale, b, b_scale, c, A="e2m1", B="e2m1", A_PACK=a_pack, B_PACK=b_pack, M=32, N=16, K=64,
        GROUP=32, ACC=False)  # fmt: skip
    left = a_means if a_scale is None else a_means * spread(a_scale, 32)
    right = b_means if b_scale is None else b_means * spread(b_scale, 32).T
    check(c, left @ right, scale=float((left @ right).abs().max()))


def test_scales_of_8_bit_floats_for_16_elements(run: Run) -> None:
    (a, a_means), (b, b_means) = factor("e2m1", 16, 64, 1), factor("e2m1", 64, 16, 0)
    a_scale, b_scale = torch.rand(16, 4).to(torch.float8_e4m3fn), torch.rand(16, 4).to(torch.float8_e4m3fn)
    c = torch.zeros(16, 16)
    run(product, (1,), a, a_scale, b, b_scale, c, A="e2m1", B="e2m1", A_PACK=True, B_PACK=True, M=16, N=16, K=64,
        GROUP=16, ACC=False)  # fmt: skip
    expected = (a_means * spread(a_scale, 16)) @ (b_means * spread(b_scale, 16).T)
    check(c, expected, scale=float(expected.abs().max()))


def test_the_least_scale_the_largest_and_none(run: Run, device: str) -> None:
    a, b, c = torch.ones(16, 32, dtype=torch.bfloat16), torch.ones(32, 16, dtype=torch.bfloat16), torch.zeros(16, 16)
    a_scale = torch.full((16, 1), 127, dtype=torch.uint8)
    a_scale[0], a_scale[1], a_scale[2], a_scale[3] = 0, 1, 254, 255
    run(product, (1,), a, a_scale, b, None, c, A="bf16", B="bf16", A_PACK=True, B_PACK=True, M=16, N=16, K=32,
        GROUP=32, ACC=False)  # fmt: skip
    # A GPU before Blackwell multiplies by the scale as bf16, and treats the smallest one, which is denormal, as zero.
    assert c[0].eq(0 if device == "cuda" else 2.0**-122).all()
    assert c[1].eq(2.0**-121).all()
    assert c[2].isinf().all()
    assert c[3].isnan().all()
    assert c[4:].eq(32).all()
