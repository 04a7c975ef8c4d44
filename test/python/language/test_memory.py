"""Tests of loads, stores and conversions: every dtype, masks, ``other``, and unusual accesses."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference_checks import FLOATS, INTEGERS, Run, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def masked_copy(x_ptr, out_ptr, n, OTHER: tl.constexpr, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=OTHER))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool])
def test_masked_elements_read_other(run: Run, dtype: torch.dtype) -> None:
    x = numbers(dtype, 40)
    out = torch.zeros(64, dtype=dtype)
    run(masked_copy, (4,), x, out, 40, OTHER=1, N=16)
    assert torch.equal(out[:40], x)
    assert torch.equal(out[40:], torch.ones(24, dtype=dtype))


@blockdsl.jit
def masked_store(x_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


def test_masked_elements_are_not_written(run: Run) -> None:
    x, out = numbers(torch.float32, 50), torch.full((64,), -1.0)
    run(masked_store, (4,), x, out, 50, N=16)
    assert torch.equal(out[:50], x + 1)
    assert torch.equal(out[50:], torch.full((14,), -1.0))


@blockdsl.jit
def converted(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at))


@pytest.mark.parametrize("source", [*FLOATS, torch.int8, torch.int32, torch.int64, torch.uint8, torch.bool])
@pytest.mark.parametrize("target", [*FLOATS, torch.int8, torch.int32, torch.int64, torch.bool])
def test_conversions(run: Run, source: torch.dtype, target: torch.dtype) -> None:
    x = numbers(source, 64, low=0 if source == torch.uint8 else -90, high=90)
    out = torch.zeros(64, dtype=target)
    run(converted, (1,), x, out, N=64)
    assert torch.equal(out, x.to(target))


EIGHT_BITS = [torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]


@pytest.mark.parametrize("dtype", EIGHT_BITS)
def test_8_bit_floats_are_arguments(run: Run, dtype: torch.dtype) -> None:
    x = torch.arange(256).to(torch.uint8).view(dtype)
    same, wide, back = torch.zeros(256, dtype=torch.uint8).view(dtype), torch.zeros(256), torch.zeros_like(x)
    run(converted, (1,), x, same, N=256)
    # Interpreted kernels may change the payload of a NaN.
    numbers_only = ~x.float().isnan()
    assert torch.equal(same.view(torch.uint8)[numbers_only], x.view(torch.uint8)[numbers_only])
    assert torch.equal(same.float().isnan(), x.float().isnan())
    run(converted, (1,), x, wide, N=256)
    torch.testing.assert_close(wide, x.float(), rtol=0, atol=0, equal_nan=True)
    finite = wide.nan_to_num(0.0, 0.0, 0.0)
    run(converted, (1,), finite, back, N=256)
    assert torch.equal(back.float(), finite)


@blockdsl.jit
def rounded(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(out_ptr + N + at, x.to(tl.int32, bitcast=True).to(tl.float32, bitcast=True).to(tl.float16))


def test_rounding_toward_zero_and_bitcasts(run: Run) -> None:
    x, out = numbers(torch.float32, 64, low=-1000, high=1000), torch.zeros(2, 64, dtype=torch.float16)
    run(rounded, (1,), x, out, N=64)
    nearest = x.half()
    down = torch.from_numpy(np.nextafter(nearest.numpy(), np.float16(0)))
    assert torch.equal(out[0], torch.where(nearest.float().abs() > x.abs(), down, nearest))
    assert torch.equal(out[1], nearest)


@blockdsl.jit
def strided(x_ptr, out_ptr, stride_row, stride_column, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * stride_row + columns[None, :] * stride_column)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], x)


def test_strided_views(run: Run) -> None:
    base = numbers(torch.float32, 32, 64)
    view = base.t()[::4, ::2]
    out = torch.zeros(16, 16)
    run(strided, (1,), view, out, view.stride(0), view.stride(1), M=16, N=16)
    assert torch.equal(out, view)


@blockdsl.jit
def indirect(x_ptr, index_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    index = tl.load(index_ptr + at, mask=at < n, other=0)
    tl.store(out_ptr + at, tl.load(x_ptr + index, mask=at < n, other=-1.0), mask=at < n)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_indices_from_memory(run: Run, dtype: torch.dtype) -> None:
    x, index = numbers(torch.float32, 1000), numbers(dtype, 50, low=0, high=999)
    out = torch.zeros(64)
    run(indirect, (1,), x, index, out, 50, N=64)
    assert torch.equal(out[:50], x[index.long()])


@blockdsl.jit
def one_element(x_ptr, out_ptr, n):
    value = tl.load(x_ptr + n)
    tl.store(out_ptr, value * 2)
    tl.store(out_ptr + 1, value, mask=n > 100)
    tl.store(out_ptr + 2, tl.load(x_ptr + n, mask=n > 100, other=7.0))


def test_scalar_pointers(run: Run) -> None:
    x, out = numbers(torch.float32, 8), torch.zeros(3)
    run(one_element, (1,), x, out, 3)
    assert out.tolist() == [x[3].item() * 2, 0.0, 7.0]


@blockdsl.jit
def hinted(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.multiple_of(tl.max_contiguous(tl.arange(0, N), N), N)
    tl.assume(tl.program_id(0) >= 0)
    x = tl.load(x_ptr + at, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    tl.debug_barrier()
    tl.store(out_ptr + tl.max_constancy(at, 1), x, cache_modifier=".cs", eviction_policy="evict_first")


@pytest.mark.cpu_only
def test_hints_do_not_change_values(run: Run) -> None:
    x, out = numbers(torch.float32, 64), torch.zeros(64)
    run(hinted, (1,), x, out, N=64)
    assert torch.equal(out, x)


@blockdsl.jit
def wait_and_double(x):
    tl.debug_barrier()
    return x * 2


@blockdsl.jit
def waits_in_a_function(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, wait_and_double(tl.load(x_ptr + at)))


def test_a_function_with_a_barrier_is_inlined(run: Run) -> None:
    x, out = numbers(torch.float32, 64), torch.zeros(64)
    run(waits_in_a_function, (1,), x, out, N=64)
    assert torch.equal(out, x * 2)


@blockdsl.jit
def through_integers(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    address = (x_ptr + at).to(tl.int64)
    tl.store(out_ptr + at, tl.load(address.to(tl.pointer_type(tl.float32)) + 1))


def test_pointers_convert_to_integers_and_back(run: Run) -> None:
    x, out = numbers(torch.float32, 17), torch.zeros(16)
    run(through_integers, (1,), x, out, N=16)
    assert torch.equal(out, x[1:])
