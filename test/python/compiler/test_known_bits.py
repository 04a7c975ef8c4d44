"""Kernels that LLVM 22 miscompiled, or crashed on, because of its known bits of integers.

They have indices whose shift leaves no bits, and integers beyond f16. Reduced IR is in test_llvm_faults.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def far_apart(numbers, x, gathered, scattered, branch, SHIFT: tl.constexpr, KIND: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    number = tl.load(numbers + o)
    if KIND == "shift":
        at = number << SHIFT
    elif KIND == "product":
        at = number * -(1 << SHIFT)
    elif KIND == "negated":
        at = -(number << SHIFT)
    elif KIND == "two shifts":
        at = number << (SHIFT - 20) << 20
    elif KIND == "widened":
        at = (number.to(tl.int32) << 20).to(tl.int64) << (SHIFT - 20)
    elif KIND == "branches":
        if tl.load(branch) > 0:
            at = number << SHIFT
        else:
            at = (number + 2) << SHIFT
    else:
        at = number
        for bit in range(SHIFT, SHIFT + 1):
            at = number << bit
    kept = at == 0
    tl.store(gathered + o, tl.load(x + at, mask=kept, other=-1))
    tl.store(scattered + at, number, mask=kept & (o == BLOCK - 1))


KINDS = ("shift", "product", "negated", "two shifts", "widened", "branches", "loop")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shift", [60, 61, 62, 63])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
@pytest.mark.parametrize("block", [4, 64])
def test_distant_elements(block: int, dtype: str, shift: int, kind: str) -> None:
    numbers = np.random.default_rng(block).integers(-40, 40, block) * 2
    numbers[-1] = 32
    x, gathered, scattered = np.array([5], dtype), np.zeros(block, dtype), np.zeros(1, np.int64)
    far_apart[(1,)](numbers, x, gathered, scattered, np.ones(1, np.int8), SHIFT=shift, KIND=kind, BLOCK=block)
    assert gathered.tolist() == np.where(numbers % (1 << (64 - shift)) == 0, 5, -1).tolist()
    assert scattered.item() == 32


@blockdsl.jit
def far_apart_in_memory(numbers, x, saved, gathered, SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(saved + o, tl.load(numbers + o) << SHIFT)
    at = tl.load(saved + o)
    tl.store(gathered + o, tl.load(x + at, mask=(at >= 0) & (at < 100), other=1))


@pytest.mark.parametrize("shift", [60, 61, 62, 63])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("block", [8, 64])
def test_distant_elements_by_stored_offsets(block: int, dtype: str, shift: int) -> None:
    numbers = np.random.default_rng(block).integers(-40, 40, block) * 2
    saved, gathered = np.zeros(block, np.int64), np.zeros(block, dtype)
    far_apart_in_memory[(1,)](numbers, np.array([5], dtype), saved, gathered, SHIFT=shift, BLOCK=block)
    assert saved.tolist() == (numbers << shift).tolist()
    assert gathered.tolist() == np.where(saved == 0, 5, 1).tolist()


@blockdsl.jit
def beyond_half(numbers, n, wide, narrow, SHIFT: tl.constexpr, KIND: tl.constexpr, SINGLE: tl.constexpr,
                BLOCK: tl.constexpr):  # fmt: skip
    o = tl.arange(0, BLOCK)
    number = tl.load(numbers + o)
    large = number << SHIFT
    if KIND == "product":
        large = number * (1 << SHIFT // 2) * (1 << SHIFT - SHIFT // 2)
    elif KIND == "negated":
        large = -large
    elif KIND == "bytes":
        large = (number & 255) << SHIFT
    elif KIND == "ids":
        large = o.to(number.dtype) << SHIFT
    elif KIND == "lane":
        large = tl.zeros_like(number) + (tl.load(numbers + 1) << SHIFT)
    elif KIND == "argument":
        large = tl.zeros_like(number) + (n.to(number.dtype) << SHIFT)
    elif KIND == "less":
        number *= 77777777
        large = number - (number & (1 << SHIFT) - 1)
    elif KIND == "remainder":
        large %= 3 << SHIFT
    elif KIND == "loop":
        for bit in range(SHIFT, SHIFT + 1):
            large = number << bit
    elif KIND == "stored":
        tl.store(numbers + o, large)
        large = tl.load(numbers + o)
    half = (large.to(tl.float32) if SINGLE else large).to(tl.float16)
    tl.store(narrow + o, half)
    tl.store(wide + o, half.to(tl.float32) * 0.5)


BEYOND_HALF: dict[str, Any] = {
    "shift": lambda numbers, n, shift: numbers << shift,
    "product": lambda numbers, n, shift: numbers << shift,
    "loop": lambda numbers, n, shift: numbers << shift,
    "stored": lambda numbers, n, shift: numbers << shift,
    "negated": lambda numbers, n, shift: -(numbers << shift),
    "bytes": lambda numbers, n, shift: (numbers & 255) << shift,
    "ids": lambda numbers, n, shift: np.arange(len(numbers), dtype=numbers.dtype) << shift,
    "lane": lambda numbers, n, shift: np.full_like(numbers, numbers[1] << shift),
    "argument": lambda numbers, n, shift: np.full_like(numbers, n) << shift,
    "less": lambda numbers, n, shift: numbers * 77777777 >> shift << shift,
    "remainder": lambda numbers, n, shift: np.fmod(numbers << shift, np.array(3, numbers.dtype) << shift),
}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("kind", BEYOND_HALF)
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("block", [2, 64])
def test_integers_beyond_f16(block: int, dtype: str, kind: str, single: bool) -> None:
    bits = np.dtype(dtype).itemsize * 8
    for shift in (0, 5, 9, 16, bits - 11, bits - 3):
        numbers = np.random.default_rng(shift).integers(-300, 300, block).astype(dtype)
        large = BEYOND_HALF[kind](numbers, 5, np.array(shift, dtype))
        wide, narrow = np.zeros(block, np.float32), np.zeros(block, np.float16)
        beyond_half[(1,)](numbers, 5, wide, narrow, SHIFT=shift, KIND=kind, SINGLE=single, BLOCK=block)
        with np.errstate(over="ignore"):
            expected = (large.astype(np.float32) if single else large).astype(np.float16)
        assert narrow.tolist() == expected.tolist(), shift
        assert wide.tolist() == (expected.astype(np.float32) * 0.5).tolist(), shift


@blockdsl.jit
def beyond_half_in_branch(x, out):
    n = tl.load(x) & 0x1FFFF
    if n % 64 == 0:
        tl.store(out, n.to(tl.float16).to(tl.float32))


@pytest.mark.parametrize(
    ("number", "expected"), [(65536, np.inf), (0x60000 + 128, 128.0), (65472, 65472.0), (65537, -1.0)]
)
def test_integers_beyond_f16_in_a_branch(number: int, expected: float) -> None:
    out = np.full(1, -1, np.float32)
    beyond_half_in_branch[(1,)](np.array([number], np.int32), out)
    assert out.item() == expected
