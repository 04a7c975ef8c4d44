"""Miscompilations of LLVM 22, in a few lines of IR each, and kernels that they affected.

The first tests check that LLVM is still wrong. If one of them fails with a later LLVM, the function of that name in
lib/Conversion/ToLLVM/AvoidLLVMFaults.cpp can be removed with its IR; the kernels stay. For bf16 it is a pass,
lib/Conversion/ExpandElementwise/FloatsToIntegerStorage.cpp, and its kernels are in language/test_moved_bits.py; for
tiles it is lib/Conversion/NestsToLoops/DotEmitter.h, and they are in test_packed_dot_code.py and
test_packed_dot_values.py; for scales and f16 they are in test_known_bits.py, for bounds in
language/test_bounded_twice.py; for sums that LLVM makes itself, it is python/blockdsl/backends/vector_sums.py, and for
masks of one bit of each lane sign_masks.py there, with test_mask_bits.py.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl

FAULTS = Path(__file__).parent / "llvm_faults"


def codegen(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, str(FAULTS / "codegen_program.py"), str(FAULTS / name), *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_llvm_still_breaks_buffers_written_backwards() -> None:
    done = codegen("written_backwards.ll", "skylake-avx512", "optimized")
    right = done.returncode == 0 and "broken" not in done.stderr.lower() and done.stdout.count("(%rdi)") == 1
    assert not right, "LLVM is right: writtenBackwards() can go"


def test_llvm_still_stores_too_much_under_one_lane() -> None:
    done = codegen("narrowed_under_one_lane.ll", "skylake-avx512")
    assert done.returncode == 0, done.stderr
    stores = re.findall(r"^\s*(\w+).*\(%rdi\)", done.stdout, re.MULTILINE)
    assert stores in (["vmovss"], ["vmovd"]), f"LLVM is right with {stores}: narrowedUnderOneLane() can go"


def test_llvm_still_loads_registers_without_lanes() -> None:
    done = codegen("register_without_lanes.ll", "znver3")
    assert done.returncode == 0, done.stderr
    loads = re.findall(r"^\s*(\w+).*32\(%rdi\)", done.stdout, re.MULTILINE)
    assert loads == ["vmovups"], f"LLVM is right with {loads}: registerWithoutLanes() can go"


def test_llvm_still_drops_upper_halves() -> None:
    done = codegen("upper_half_of_product.ll", "skylake-avx512")
    assert done.returncode == 0, done.stderr
    assert "(%rsi)" not in done.stdout, "LLVM is right: upperHalfOfProduct() can go"


def test_llvm_still_loses_lanes_of_tree_reductions() -> None:
    done = codegen("added_up_by_halves.ll", "alderlake", "optimized")
    assert done.returncode == 0, done.stderr
    instructions = re.findall(r"vpdpbusd|vpsadbw|vpaddd", done.stdout)
    assert instructions == ["vpdpbusd", "vpsadbw"], "LLVM is right: addedUpByHalves() can go"


def test_llvm_still_confuses_two_counts() -> None:
    done = codegen("counted_in_two_widths.ll", "skylake-avx512", "optimized")
    assert done.returncode == 0, done.stderr
    # Stores to eight words from %rsi on.
    assert "64(%rsi)" in done.stdout, "LLVM is right: countedInTwoWidths() can go"


def test_llvm_still_drops_masks_tested_lane_by_lane() -> None:
    done = codegen("asked_lane_by_lane.ll", "znver5", "optimized")
    assert done.returncode == 0, done.stderr
    masks = re.findall(r".*%k1.*", done.stdout)
    # One of two reasons; the next test has the other.
    assert len(masks) == 1 and "vpscatterdd" in masks[0], "LLVM is right: backends/sign_masks.py may go"


def test_llvm_still_encodes_unencodable_registers() -> None:
    done = codegen("bits_in_high_registers.ll", "znver4")
    assert done.returncode == 0, done.stderr
    assert re.search(r"vmovmskps\s+%xmm(1[6-9]|[23]\d)", done.stdout), "LLVM is right: backends/sign_masks.py may go"


def test_llvm_still_treats_missing_scale_as_one() -> None:
    done = codegen("shifted_out_of_address.ll", "znver4")
    assert done.returncode != 0, "LLVM is right: shiftedOutOfAddress() can go"
    assert "Illegal index scale" in done.stderr


def test_llvm_still_treats_integers_beyond_f16_as_exact() -> None:
    done = codegen("beyond_half.ll", "skylake-avx512", "optimized")
    assert done.returncode == 0, done.stderr
    conversions = re.findall(r"vcvt\w+", done.stdout)
    assert conversions == ["vcvtdq2ps"], f"LLVM is right with {conversions}: beyondHalf() can go"


def test_llvm_still_confuses_two_bounds() -> None:
    done = codegen("bounded_twice.ll", "skylake-avx512", "optimized")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("vmaxps") == 1, "LLVM is right: boundedTwice() can go"


def test_llvm_still_crashes_on_late_narrowed_summands() -> None:
    done = codegen("found_small_late.ll", "skylake-avx512")
    assert done.returncode != 0, "LLVM is right: backends/vector_sums.py can go"
    assert "Unexpected illegal type" in done.stderr


def test_llvm_still_gives_each_tile_register_one_extent() -> None:
    done = codegen("tiles_of_two_extents.ll", "sapphirerapids")
    assert done.returncode == 1, "LLVM is right: tiles of a matrix unit need not be padded"
    assert "ran out of registers" in done.stderr


@pytest.mark.parametrize(("cpu", "conversion"), [("skylake-avx512", "__truncsfbf2"), ("znver4", "vcvtneps2bf16")])
def test_llvm_still_converts_moved_bf16(cpu: str, conversion: str) -> None:
    done = codegen("moved_bf16.ll", cpu)
    assert done.returncode == 0, done.stderr
    assert conversion in done.stdout, "LLVM is right: bf16 need not be integers"


@blockdsl.jit
def narrowed(x, out, n, STEP: tl.constexpr, BLOCK: tl.constexpr, T: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o)
    tl.store(out + o, v.to(T), mask=o < n)
    tl.store(out + BLOCK + o, v.to(T), mask=o % STEP == 1)
    for i in range(2):
        tl.store(out + (2 + i) * BLOCK + o, v.to(T), mask=o == i * 3)


INTEGERS = {np.int8: tl.int8, np.int16: tl.int16, np.int32: tl.int32, np.int64: tl.int64}


@pytest.mark.parametrize("block", [4, 8, 16, 64])
@pytest.mark.parametrize("to", [np.int8, np.int16, np.int32])
@pytest.mark.parametrize("of", [np.int16, np.int32, np.int64])
def test_masked_store_of_narrowed_integers_writes_masked_lanes_only(of: type, to: type, block: int) -> None:
    x = (np.arange(block) + 1).astype(of)
    # 1 is compiled as a constant, 3 is not.
    for n in (1, 3):
        out = np.full(4 * block, 99, to)
        narrowed[(1,)](x, out, n, STEP=block, BLOCK=block, T=INTEGERS[to])
        lane = np.arange(block)
        written = np.concatenate([lane < n, lane % block == 1, lane == 0, lane == 3])
        np.testing.assert_array_equal(out, np.where(written, np.tile(x, 4), 99))


@blockdsl.jit
def running(x, out, AT: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(out + o, tl.cumsum(tl.load(x + o + AT), 0, reverse=True))


@pytest.mark.parametrize("block", [16, 32, 64])
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("at", [0, 1])
def test_sums_from_the_end(at: int, dtype: str, block: int) -> None:
    x = (np.arange(256) % 61).astype(dtype)
    out = np.zeros(block, dtype)
    running[(1,)](x, out, AT=at, BLOCK=block)
    np.testing.assert_array_equal(out, np.cumsum(x[at:][:block][::-1])[::-1])


@blockdsl.jit
def narrowed_from_the_end(x, products, picked, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    half = tl.load(x + tl.arange(0, BLOCK // 2))
    tl.store(products + o, tl.cumprod(tl.interleave(half, half), 0, reverse=True).to(tl.uint16))
    v = tl.load(x + o + 53)
    tl.store(picked + o, tl.cumsum(tl.gather(v, (v & (BLOCK - 1)).to(tl.int32), 0), 0, reverse=True).to(tl.uint16))


@pytest.mark.parametrize("block", [16, 32, 64])
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "int64"])
def test_narrowed_scans_from_the_end(dtype: str, block: int) -> None:
    x = (np.arange(256) * 7 % 61 + 1).astype(dtype)
    products, picked = np.zeros(block, np.uint16), np.zeros(block, np.uint16)
    narrowed_from_the_end[(1,)](x, products, picked, BLOCK=block)
    twice = np.repeat(x[: block // 2], 2).astype(np.uint64)
    np.testing.assert_array_equal(products, np.cumprod(twice[::-1])[::-1].astype(np.uint16))
    v = x[53:][:block]
    np.testing.assert_array_equal(picked, np.cumsum(v[v.astype(int) & (block - 1)][::-1])[::-1].astype(np.uint16))


@blockdsl.jit
def upper_halves(x, step, out, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < BLOCK // 2 + 4, other=1)
    w = v + tl.load(step)
    tl.store(out + o, tl.umulhi(v, w))
    product = v.to(tl.uint64) * w.to(tl.uint64)
    tl.store(out + BLOCK + o, (product >> 32).to(tl.uint32))
    tl.store(out + 2 * BLOCK + o, (product.to(tl.int64) >> 32).to(tl.uint32))
    tl.store(out + 3 * BLOCK + o, (product // 4294967296).to(tl.uint32))
    short = (v & 0xFFFF).to(tl.uint16).to(tl.uint32) * (w & 0xFFFF).to(tl.uint16).to(tl.uint32)
    tl.store(out + 4 * BLOCK + o, short >> 16)


@pytest.mark.parametrize("block", [16, 32, 64, 128, 256])
def test_upper_halves_of_products_by_ones(block: int) -> None:
    x = (np.arange(block, dtype=np.uint32) * np.uint32(0x9E3779B9)) | np.uint32(1)
    step = np.array([5], np.uint32)
    out = np.full(5 * block, 9, np.uint32)
    upper_halves[(1,)](x, step, out, BLOCK=block)
    v = np.where(np.arange(block) < block // 2 + 4, x, 1).astype(np.uint64)
    w = (v + 5) & 0xFFFFFFFF
    short = ((v & 0xFFFF) * (w & 0xFFFF)) >> 16
    np.testing.assert_array_equal(out, np.concatenate([*[(v * w) >> 32] * 4, short]).astype(np.uint32))


@blockdsl.jit
def summed_bytes(x, y, out, BLOCK: tl.constexpr, WIDE: tl.constexpr, DISTANCES: tl.constexpr, TWICE: tl.constexpr):
    o = tl.arange(0, BLOCK)
    a, b = tl.load(x + o).to(WIDE), tl.load(y + o).to(WIDE)
    each = tl.abs(a - b) if DISTANCES else a * b
    tl.store(out, tl.sum(tl.sum(tl.reshape(each, (2, BLOCK // 2)), 0) if TWICE else each, 0))


@pytest.mark.parametrize("block", [4, 8, 16, 32, 64, 128])
@pytest.mark.parametrize("wide", [tl.int32, tl.int64])
@pytest.mark.parametrize("distances", [True, False])
@pytest.mark.parametrize("of", ["uint8", "int8"])
@pytest.mark.parametrize("by", ["uint8", "int8"])
def test_sums_of_products_and_distances_of_bytes(by: str, of: str, distances: bool, wide: tl.dtype, block: int) -> None:
    random = np.random.default_rng(block)
    x, y = (random.integers(0, 256, block).astype(np.uint8).view(dtype) for dtype in (of, by))
    a, b = x.astype(np.int64), y.astype(np.int64)
    for twice in (False, True):
        out = np.zeros(1, wide.name)
        summed_bytes[(1,)](x, y, out, BLOCK=block, WIDE=wide, DISTANCES=distances, TWICE=twice)
        assert out.item() == (np.abs(a - b) if distances else a * b).sum()


@blockdsl.jit
def product_of_small_numbers(x, out, N: tl.constexpr, STEP: tl.constexpr, MOST: tl.constexpr):
    i = tl.arange(0, N)[None, :] * STEP
    a = ((tl.program_id(0) * 31 + i) & MOST).to(tl.int8)
    b = (tl.trans(tl.load(x + i, mask=i < N * STEP - 1, other=1)) & MOST).to(tl.int8)
    at = tl.program_id(0) + tl.arange(0, 1)[:, None] + tl.arange(0, 1)[None, :]
    tl.store(out + at, tl.dot(a, b))


# LLVM turns it into one sum over a vector, without information on the range of the elements.
@pytest.mark.parametrize("n", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("largest", [1, 3, 7, 127])
@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_a_product_of_small_numbers(dtype: str, largest: int, step: int, n: int) -> None:
    x = np.random.default_rng(n).integers(-128, 128, n * step).astype(dtype)
    out = np.zeros(5, np.int32)
    product_of_small_numbers[(5,)](x, out, N=n, STEP=step, MOST=largest)
    i = np.arange(n) * step
    b = np.where(i < n * step - 1, x[::step].astype(int) & largest, 1)
    assert out.tolist() == [(((program * 31 + i) & largest) * b).sum() for program in range(5)]


@blockdsl.jit
def count_in_a_loop(flags, bins, start, COUNT: tl.constexpr, WIDTH: tl.constexpr, BINS: tl.constexpr):
    for i in range(COUNT):
        at = i & (WIDTH - 1)
        if at < BINS:
            if tl.load(flags + ((start + i) & (COUNT - 1))) != 0:
                tl.store(bins + at, tl.load(bins + at) + 1)


@blockdsl.jit
def count_in_a_block(flags, bins, start, COUNT: tl.constexpr, WIDTH: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, COUNT)
    flag = tl.load(flags + i) != 0
    mask = tl.gather(flag, (start + i) & (COUNT - 1), 0)
    tl.store(bins + tl.arange(0, BINS), tl.histogram(i & (WIDTH - 1), BINS, mask=mask))


@pytest.mark.parametrize("kernel", [count_in_a_loop, count_in_a_block])
@pytest.mark.parametrize(("count", "width", "bins"), [(32, 16, 8), (64, 16, 16), (64, 32, 8), (256, 32, 16)])
@pytest.mark.parametrize("start", [0, 5, 32])
def test_repeated_histogram_bins_in_a_loop(start: int, count: int, width: int, bins: int, kernel: Any) -> None:
    flags = np.random.default_rng(count + start).integers(0, 2, count).astype(np.int8)
    # The memory after the bins does not belong to the kernel.
    got = np.zeros(bins + count, np.int32)
    kernel[(1,)](flags, got, start, COUNT=count, WIDTH=width, BINS=bins)
    i = np.arange(count)
    selected = i[flags[(start + i) % count] != 0] % width
    assert got.tolist() == np.bincount(selected[selected < bins], minlength=bins).tolist() + [0] * count


@blockdsl.jit
def corner(x, out, rows, COLUMNS: tl.constexpr, N: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, N)
    mask = (row < rows) & (column < COLUMNS)
    tl.store(out + row * N + column, tl.load(x + row * N + column, mask=mask, other=7))


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64", "int64"])
@pytest.mark.parametrize("n", [16, 32, 64])
@pytest.mark.parametrize("columns", [1, 5, 8, 9])
def test_registers_without_lanes_are_not_loaded(columns: int, n: int, dtype: str) -> None:
    x, out = np.ones((4, n), dtype), np.zeros((4, n), dtype)
    corner[(4,)](x, out, 3, COLUMNS=columns, N=n)
    expected = np.full((4, n), 7, dtype)
    expected[:3, :columns] = 1
    assert out.tolist() == expected.tolist()
