"""Masks that are one bit of each lane of a vector, which LLVM 22 reads from wrong registers on AVX-512.

Reduced IR is in test_llvm_faults.py.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl.backends import cpu

FAULTS = Path(__file__).parent / "llvm_faults"
AVX512 = tuple(f"+avx512{name}" for name in ("f", "bw", "cd", "dq", "vl"))


@pytest.mark.parametrize("name", ["asked_lane_by_lane", "bits_in_high_registers"])
def test_bits_are_tested(name: str) -> None:
    target = cpu.CPU("x86_64-unknown-linux-gnu", "skylake-avx512", AVX512)
    code = cpu.emit_assembly((FAULTS / f"{name}.ll").read_text(), target)
    assert not re.search("movmsk|vpmov[bwdq]2m", code)


SHUFFLED = """
define void @shuffled(<{lanes} x i32> %x, <{lanes} x i32> %y, i1 %condition, <{kept} x ptr> %to) {{
  %mask = icmp ult <{lanes} x i32> %x, %y
  %other = icmp ugt <{lanes} x i32> %x, %y
  %one = insertelement <{lanes} x i1> poison, i1 %condition, i32 0
  %shuffled = shufflevector <{lanes} x i1> %{first}, <{lanes} x i1> {second}, <{kept} x i32> {order}
  call void @llvm.masked.scatter.v{kept}i8.v{kept}p0(
      <{kept} x i8> splat (i8 5), <{kept} x ptr> %to, <{kept} x i1> %shuffled)
  ret void
}}
"""


def in_order(lanes: list[int]) -> str:
    return f"<{', '.join(f'i32 {lane}' for lane in lanes)}>"


@pytest.mark.parametrize("lanes", [2, 4, 8, 16, 32, 64])
@pytest.mark.parametrize("what", ["reversed", "turned", "joined out of order", "one lane", "with a constant"])
def test_lanes_of_masks_are_moved_as_signs(what: str, lanes: int) -> None:
    first, second, order = {
        "reversed": ("mask", "poison", in_order([*range(lanes)][::-1])),
        "turned": ("mask", "poison", in_order([*range(1, lanes), 0])),
        "joined out of order": ("mask", "%other", in_order([*range(1, lanes), 2 * lanes - 1])),
        "one lane": ("mask", "poison", "zeroinitializer"),
        "with a constant": ("mask", "splat (i1 true)", in_order([lanes, *range(1, lanes)])),
    }[what]
    target = cpu.CPU("x86_64-unknown-linux-gnu", "skylake-avx512", AVX512)
    text = SHUFFLED.format(lanes=lanes, kept=lanes, first=first, second=second, order=order)
    assert not re.search("vmovmsk|vpmovmsk|vpmov[bwdq]2m", cpu.emit_assembly(text, target))


@pytest.mark.parametrize("lanes", [4, 16, 32])
@pytest.mark.parametrize("what", ["upper half", "joined", "one condition"])
def test_parts_of_masks_stay_masks(what: str, lanes: int) -> None:
    first, second, masks, order = {
        "upper half": ("mask", "poison", lanes // 2, in_order([*range(lanes // 2, lanes)])),
        "joined": ("mask", "%other", 2 * lanes, in_order([*range(2 * lanes)])),
        "one condition": ("one", "poison", lanes, "zeroinitializer"),
    }[what]
    target = cpu.CPU("x86_64-unknown-linux-gnu", "skylake-avx512", AVX512)
    text = SHUFFLED.format(lanes=lanes, kept=masks, first=first, second=second, order=order)
    assert not re.search("vmovmsk|vpmovm2[bwdq]|vptestm", cpu.emit_assembly(text, target))


@blockdsl.jit
def store_some(x, out, numbers, first, step, KEPT: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mixed = tl.load(x + at)
    # Each number needs a register of its own, so that registers above the fifteenth are used, too.
    for k in tl.static_range(len(numbers)):
        mixed = (mixed ^ (numbers[k] * first)) + (mixed >> 5)
    if KEPT == "odd":
        far = (mixed + 1).to(tl.int64) << 63
        keep = (far >= 0) & (far < 5)
    else:
        keep = mixed < 0
    tl.store(out + at * step, mixed, mask=keep)


@pytest.mark.parametrize("masks", ["odd", "negative"])
@pytest.mark.parametrize("columns", [2, 4])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("count", [12, 16, 20, 24])
def test_masks_made_while_many_registers_are_taken(count: int, dtype: str, columns: int, masks: str) -> None:
    random = np.random.default_rng(count)
    x = random.integers(-(2**31), 2**31, 16 * columns).astype(dtype)
    numbers = tuple(random.integers(-(2**29), 2**29, count).tolist())
    got = np.full(48 * columns, -5, dtype)
    store_some[(1,)](x, got, numbers, 3, 3, KEPT=masks, COLUMNS=columns)
    mixed = x
    for number in numbers:
        mixed = (mixed ^ x.dtype.type(number * 3)) + (mixed >> 5)
    expected = np.full_like(got, -5)
    expected[::3] = np.where(mixed % 2 == 1 if masks == "odd" else mixed < 0, mixed, -5)
    np.testing.assert_array_equal(got, expected)


@blockdsl.jit
def scatter_twice(wide, narrow, values, masks, BLOCK: tl.constexpr, TURNED: tl.constexpr):
    i = tl.arange(0, BLOCK)
    flags = tl.load(masks + i) < 0
    # A reversed mask is read from memory, as bytes.
    mask = tl.gather(flags, BLOCK - 1 - i, 0) if TURNED else flags
    value = tl.load(values + i)
    tl.store(wide + i * 3, value * 7, mask=mask)
    tl.store(narrow + i * 4, mask.to(narrow.dtype.element_ty), mask=mask)


@pytest.mark.parametrize("block", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("sign", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("turned", [False, True])
def test_one_mask_for_wide_and_narrow_elements(turned: bool, sign: str, dtype: str, block: int) -> None:
    random = np.random.default_rng(block)
    masks = random.integers(-1, 1, block).astype(sign)
    values = random.integers(0, 100, block).astype(np.int32)
    wide, narrow = np.full(3 * block, -5, np.int32), np.full(4 * block, -5, dtype)
    scatter_twice[(1,)](wide, narrow, values, masks, BLOCK=block, TURNED=turned)
    mask = masks[::-1] < 0 if turned else masks < 0
    for got, step, each in ((wide, 3, values * 7), (narrow, 4, np.ones(block, dtype))):
        expected = np.full_like(got, -5)
        expected[::step] = np.where(mask, each, -5)
        assert got.tolist() == expected.tolist()
