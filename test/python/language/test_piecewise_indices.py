"""Loads at indices that are consecutive in pieces, and stores at constant distances, against torch."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def reflected(x_ptr, out_ptr, n, padding, INDEX: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    index = at.to(INDEX) - padding
    last = (n - 1).to(INDEX)
    index = last - tl.abs(last - tl.abs(index))
    tl.store(out_ptr + at, tl.load(x_ptr + index, at < n + 2 * padding, other=-1))


@pytest.mark.parametrize("index", [tl.int32, tl.int64])
@pytest.mark.parametrize(("n", "padding"), [(100, 1), (64, 32), (90, 19), (2, 1)])
def test_reflections(run: Run, n: int, padding: int, index: tl.dtype) -> None:
    x, out = torch.randn(n), torch.zeros(128)
    run(reflected, (1,), x, out, n, padding, INDEX=index, N=128)
    padded = torch.nn.functional.pad(x[None], (padding, padding), mode="reflect")[0]
    assert torch.equal(out, torch.nn.functional.pad(padded, (0, 128 - len(padded)), value=-1))


@blockdsl.jit
def clamped_rows(x_ptr, out_ptr, first, n, width, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    clamped = tl.minimum(tl.maximum(at - first, 0), n - 1)
    wrapped = at % width
    chosen = tl.where(at < n, at, at - n)
    total = tl.load(x_ptr + clamped) + tl.load(x_ptr + wrapped) * 8 + tl.load(x_ptr + chosen) * 64
    tl.store(out_ptr + 3 * at, total)


def test_clamped_wrapped_and_chosen_indices(run: Run) -> None:
    x, out = torch.randint(0, 8, (300,)).float(), torch.zeros(3 * 512)
    run(clamped_rows, (4,), x, out, 5, 300, 77, N=128)
    at = torch.arange(512)
    expected = x[(at - 5).clamp(0, 299)] + x[at % 77] * 8 + x[at % 300] * 64
    assert torch.equal(out[::3], expected)
    assert not out[1::3].any()
    assert not out[2::3].any()


@blockdsl.jit
def wrapping(x_ptr, out_ptr, first, N: tl.constexpr):
    at = tl.arange(0, N)
    index = tl.abs(first + at)
    index = tl.where(index < 0, index + 2147483647 + 1, index)
    tl.store(out_ptr + at, tl.load(x_ptr + tl.minimum(index, N - 1)))


def test_indices_that_wrap_in_their_type(run: Run) -> None:
    x, out = torch.randn(64), torch.zeros(64)
    first = 2**31 - 30
    run(wrapping, (1,), x, out, first, N=64)
    at = (torch.arange(64) + first).to(torch.int32).abs()
    at = torch.where(at < 0, 0, at).clamp(max=63)
    assert torch.equal(out, x[at.long()])
