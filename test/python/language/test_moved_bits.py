"""Tests of values that are only moved: they keep their bits, denormals and all NaNs included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl

WAYS = 10
ONES = {torch.bfloat16: 0x3F80, torch.float16: 0x3C00, torch.float32: 0x3F800000, torch.float64: 0x3FF0000000000000}
INTEGERS = {torch.bfloat16: "int16", torch.float16: "int16", torch.float32: "int32", torch.float64: "int64"}


@blockdsl.jit
def moves(x, out, n, N: tl.constexpr, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    o = tl.program_id(0) * BLOCK + lane
    some = o % 3 != 1
    v = tl.load(x + o)
    under = tl.load(x + o, mask=some)
    tl.store(out + o, v)
    tl.store(out + N + o, under, mask=o % 5 != 2)
    tl.store(out + 2 * N + o, tl.where(o % 7 == 3, v, under))
    tl.store(out + 3 * N + o, tl.flip(v))
    tl.store(out + 4 * N + o, tl.gather(v, lane * 7 % BLOCK, 0))
    tl.store(out + 5 * N + (o ^ 1), tl.load(x + o * 5 % N, mask=some, other=1.0), mask=o < n)
    tl.store(out + 6 * N + o, tl.reshape(tl.trans(tl.reshape(v, (2, BLOCK // 2))), (BLOCK,)))
    carried = v
    for i in range(n % 4):
        carried = tl.where(some, carried, tl.flip(carried))
    tl.store(out + 7 * N + o, carried)
    tl.store(out + 8 * N + o, tl.cat(*tl.split(tl.reshape(v, (BLOCK // 2, 2))), dim=0))
    for i in range(BLOCK):
        at = tl.program_id(0) * BLOCK + i
        one = tl.load(x + at, mask=at % 3 != 1, other=1.0)
        tl.store(out + 9 * N + at, one)


def moved(x: Any, one: int, block: int) -> list[Any]:
    """The same in NumPy, on bits."""
    o, blocks = np.arange(len(x)), x.reshape(-1, block)
    some = o % 3 != 1
    under = np.where(some, x, 0)
    scattered = np.empty_like(x)
    scattered[o ^ 1] = np.where(some, x[o * 5 % len(x)], one)
    carried = blocks
    for _ in range(len(x) % 4):
        carried = np.where(some.reshape(-1, block), carried, carried[:, ::-1])
    return [x, np.where(o % 5 != 2, under, 0), np.where(o % 7 == 3, x, under), blocks[:, ::-1],
            blocks[:, np.arange(block) * 7 % block], scattered, blocks.reshape(-1, 2, block // 2).swapaxes(1, 2),
            carried, blocks.reshape(-1, block // 2, 2).swapaxes(1, 2), np.where(some, x, one)]  # fmt: skip


def all_bits(dtype: Any) -> Any:
    """Every number of 16 bits; a sample of wider ones, two thirds of them NaNs and denormals."""
    integer = np.dtype(INTEGERS[dtype])
    if integer.itemsize == 2:
        return np.arange(1 << 16).astype(np.uint16).view(integer)
    numbers = np.random.default_rng(0).integers(0, 1 << 63, 4098).astype(f"u{integer.itemsize}").view(integer)
    exponent = np.array(torch.inf).astype(f"float{8 * integer.itemsize}").view(integer)
    numbers[::3] |= exponent
    numbers[1::3] &= ~exponent
    return numbers[:4096]


@pytest.mark.parametrize("block", [2, 8, 16, 64, 256])
@pytest.mark.parametrize("dtype", ONES)
def test_moved_values_keep_their_bits(dtype: Any, block: int) -> None:
    x = all_bits(dtype)
    out = np.zeros((WAYS, len(x)), x.dtype)
    given = torch.from_numpy(x).view(dtype)
    into = torch.from_numpy(out).view(dtype)
    compiled = moves[(len(x) // block,)](given, into, len(x), N=len(x), BLOCK=block)
    for way, (got, expected) in enumerate(zip(out, moved(x, ONES[dtype], block), strict=True)):
        np.testing.assert_array_equal(got, expected.reshape(-1), f"way {way}")
    assert "bfloat" not in compiled.asm["llir"]


@blockdsl.jit
def signs(x, negative, absolute, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o)
    tl.store(negative + o, -v)
    tl.store(absolute + o, tl.abs(v))


@pytest.mark.parametrize("dtype", ONES)
def test_signs_are_bits(dtype: Any) -> None:
    x = all_bits(dtype)
    negative, absolute = np.zeros_like(x), np.zeros_like(x)
    signs[(len(x) // 64,)](*[torch.from_numpy(each).view(dtype) for each in (x, negative, absolute)], BLOCK=64)
    least = np.iinfo(x.dtype).min
    np.testing.assert_array_equal(negative, x ^ least)
    np.testing.assert_array_equal(absolute, x & ~least)


@blockdsl.jit
def moves_bytes(x, out, KIND: tl.constexpr):
    o = tl.arange(0, 256)
    v = tl.load(x + o).to(KIND, bitcast=True)
    chosen = tl.where(o % 3 == 1, tl.flip(v), v)
    for i in range(3):
        chosen = tl.where(o % 5 == i, tl.flip(chosen), chosen)
    tl.store(out + o, chosen.to(tl.int8, bitcast=True))


@pytest.mark.parametrize("kind", [tl.float8e5, tl.float8e4nv, tl.float8e4b8, tl.float8e5b16])
def test_bytes_keep_their_bits(kind: Any) -> None:
    x, o = np.arange(256).astype(np.uint8).view(np.int8), np.arange(256)
    out = np.zeros_like(x)
    moves_bytes[(1,)](x, out, KIND=kind)
    expected = np.where(o % 3 == 1, x[::-1], x)
    for i in range(3):
        expected = np.where(o % 5 == i, expected[::-1], expected)
    np.testing.assert_array_equal(out, expected)


TEXT = """
tt.func public @copy(%x: !tt.ptr<TYPE>, %out: !tt.ptr<TYPE>) {
  %numbers = arith.constant dense<[0x00, 0x01, 0x80, 0x81, 0x3C, 0xBC, 0x7E, 0xFE]> : tensor<8xTYPE>
  %at = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %behind = arith.addi %at, %eight : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<TYPE> -> tensor<8x!tt.ptr<TYPE>>
  %from = tt.addptr %xs, %at : tensor<8x!tt.ptr<TYPE>>, tensor<8xi32>
  %v = tt.load %from : tensor<8x!tt.ptr<TYPE>>
  %outs = tt.splat %out : !tt.ptr<TYPE> -> tensor<8x!tt.ptr<TYPE>>
  %first = tt.addptr %outs, %at : tensor<8x!tt.ptr<TYPE>>, tensor<8xi32>
  tt.store %first, %v : tensor<8x!tt.ptr<TYPE>>
  %second = tt.addptr %outs, %behind : tensor<8x!tt.ptr<TYPE>>, tensor<8xi32>
  tt.store %second, %numbers : tensor<8x!tt.ptr<TYPE>>
  tt.return
}
"""


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("f8E5M2", torch.float8_e5m2), ("f8E4M3FN", torch.float8_e4m3fn), ("f8E5M2FNUZ", torch.float8_e5m2fnuz),
     ("f8E4M3FNUZ", torch.float8_e4m3fnuz), ("i8", torch.int8)],
)  # fmt: skip
def test_8_bit_numbers_of_a_text(tmp_path: Any, name: str, dtype: torch.dtype) -> None:
    """As parameters, and in constants of many numbers."""
    path = tmp_path / "copy.ttir"
    path.write_text(TEXT.replace("TYPE", name))
    x = torch.arange(3, 256, 32, dtype=torch.uint8)
    out = torch.zeros(16, dtype=torch.uint8)
    blockdsl.compile(path)[(1,)](x.view(dtype), out.view(dtype))
    assert out[:8].tolist() == x.tolist()
    assert out[8:].tolist() == [0x00, 0x01, 0x80, 0x81, 0x3C, 0xBC, 0x7E, 0xFE]
