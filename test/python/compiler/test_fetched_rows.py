"""Tests of prefetches in matmuls: none for rows whose indices are loaded from memory."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from guarded import Guarded


@blockdsl.jit
def gathered_rows(x_ptr, rows_ptr, w_ptr, out_ptr, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    m, k, n = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_K), tl.arange(0, 32)
    rows = tl.load(rows_ptr + m)
    x = tl.load(x_ptr + rows[:, None] * BLOCK_K + k[None, :])
    w = tl.load(w_ptr + k[:, None] * 32 + n[None, :])
    tl.store(out_ptr + m[:, None] * 32 + n[None, :], tl.dot(x, w, input_precision="ieee"))


@blockdsl.jit
def gathered_in_a_loop(
    x_ptr, rows_ptr, w_ptr, indices_ptr, out_ptr, iterations, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr
):
    m, k, n = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_K), tl.arange(0, 32)
    acc = tl.zeros((BLOCK_M, 32), tl.float32)
    for iteration in range(iterations):
        rows = tl.load(rows_ptr + iteration * BLOCK_M + m)
        indices = tl.load(indices_ptr + iteration * BLOCK_K + k)
        x = tl.load(x_ptr + rows[:, None] * BLOCK_K + k[None, :])
        w = tl.load(w_ptr + indices[:, None] * 32 + n[None, :])
        acc = tl.dot(x, w, acc, input_precision="ieee")
    tl.store(out_ptr + m[:, None] * 32 + n[None, :], acc)


def guarded(data: np.ndarray) -> torch.Tensor:
    """Returns a tensor that ends at an inaccessible page."""
    memory = Guarded(data, at_end=True)
    dtype = torch.from_numpy(data[:0]).dtype
    return torch.frombuffer(memory.map, dtype=dtype, count=data.size, offset=memory.offset).view(data.shape)


@pytest.mark.parametrize("block_k", [8, 32, 128])
@pytest.mark.parametrize("block_m", [16, 32, 64])
def test_row_indices_from_memory(block_m: int, block_k: int) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((50, block_k)).astype(np.float32)
    w = random.standard_normal((block_k, 32)).astype(np.float32)
    rows = random.integers(0, 50, block_m).astype(np.int32)
    out = torch.empty(block_m, 32)
    gathered_rows[(1,)](guarded(x), guarded(rows), guarded(w), out, BLOCK_M=block_m, BLOCK_K=block_k)
    np.testing.assert_allclose(out, x[rows].astype(np.float64) @ w, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("block_k", [8, 32, 128])
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_row_indices_from_memory_in_a_loop(iterations: int, block_k: int) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((50, block_k)).astype(np.float32)
    w = random.standard_normal((60, 32)).astype(np.float32)
    rows = random.integers(0, 50, (iterations, 32)).astype(np.int32)
    indices = random.integers(0, 60, (iterations, block_k)).astype(np.int32)
    out = torch.empty(32, 32)
    gathered_in_a_loop[(1,)](
        guarded(x), guarded(rows), guarded(w), guarded(indices), out, iterations, BLOCK_M=32, BLOCK_K=block_k
    )
    expected = sum(
        (x[rows[iteration]].astype(np.float64) @ w[indices[iteration]] for iteration in range(iterations)),
        np.zeros((32, 32)),
    )
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-3)
