"""Tests of whole kernels: attention forward, and grouped matmuls."""

from __future__ import annotations

import pytest
import torch
from reference_checks import Run, check, numbers

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def attention_stage(
    acc, total, largest, q, k_ptr, v_ptr, block, scale, stride,
    ROWS: tl.constexpr, WIDTH: tl.constexpr, COLUMNS: tl.constexpr, STAGE: tl.constexpr,
    rows: tl.constexpr, columns: tl.constexpr, LENGTH: tl.constexpr,
):  # fmt: skip
    # As in Triton's tutorial, blocks are passed where the parameter says constexpr.
    if STAGE == 1:
        low, high = 0, block * ROWS
    elif STAGE == 2:
        low, high = block * ROWS, (block + 1) * ROWS
        low = tl.multiple_of(low, ROWS)
    else:
        low, high = 0, LENGTH
    width = tl.arange(0, WIDTH)
    for start in tl.range(low, high, COLUMNS):
        start = tl.multiple_of(start, COLUMNS)
        k = tl.load(k_ptr + (start + columns)[None, :] * stride + width[:, None])
        scores = tl.dot(q, k, input_precision="ieee")
        if STAGE == 2:
            scores = scores * scale + tl.where(rows[:, None] >= (start + columns)[None, :], 0, -1.0e6)
            new = tl.maximum(largest, tl.max(scores, 1))
            scores -= new[:, None]
        else:
            new = tl.maximum(largest, tl.max(scores, 1) * scale)
            scores = scores * scale - new[:, None]
        p = tl.math.exp2(scores)
        alpha = tl.math.exp2(largest - new)
        v = tl.load(v_ptr + (start + columns)[:, None] * stride + width[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None], input_precision="ieee")
        total = total * alpha + tl.sum(p, 1)
        largest = new
    return acc, total, largest


@blockdsl.jit
def attention(
    q_ptr, k_ptr, v_ptr, out_ptr, scale, stride,
    LENGTH: tl.constexpr, WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STAGE: tl.constexpr,
):  # fmt: skip
    tl.static_assert(COLUMNS <= WIDTH)
    block = tl.program_id(0)
    rows, columns = block * ROWS + tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    at = rows[:, None] * stride + tl.arange(0, WIDTH)[None, :]
    largest = tl.zeros([ROWS], dtype=tl.float32) - float("inf")
    total = tl.zeros([ROWS], dtype=tl.float32) + 1.0
    acc = tl.zeros([ROWS, WIDTH], dtype=tl.float32)
    scale *= 1.44269504
    q = tl.load(q_ptr + at)
    if STAGE & 1:
        acc, total, largest = attention_stage(
            acc, total, largest, q, k_ptr, v_ptr, block, scale, stride,
            ROWS, WIDTH, COLUMNS, 4 - STAGE, rows, columns, LENGTH,
        )  # fmt: skip
    if STAGE & 2:
        acc, total, largest = attention_stage(
            acc, total, largest, q, k_ptr, v_ptr, block, scale, stride,
            ROWS, WIDTH, COLUMNS, 2, rows, columns, LENGTH,
        )  # fmt: skip
    acc = acc / total[:, None]
    tl.store(out_ptr + at, acc.to(out_ptr.type.element_ty))


@pytest.mark.parametrize("causal", [False, True])
def test_attention(run: Run, causal: bool) -> None:
    q, k, v = (numbers(torch.float32, 64, 32).roll(7 * seed) for seed in range(3))
    out = torch.zeros(64, 32)
    sizes = {"LENGTH": 64, "WIDTH": 32, "ROWS": 16, "COLUMNS": 16, "STAGE": 3 if causal else 1}
    run(attention, (4,), q, k, v, out, 32**-0.5, 32, **sizes)
    wide = [x[None].double() for x in (q, k, v)]
    expected = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=causal)[0]
    check(out, expected, scale=50)


@blockdsl.jit
def grouped_product(
    a_ptrs, b_ptrs, c_ptrs, sizes_ptr, GROUPS: tl.constexpr, PROGRAMS: tl.constexpr, TILE: tl.constexpr
):
    tile = tl.program_id(0)
    last = 0
    for group in range(GROUPS):
        m = tl.load(sizes_ptr + group * 3)
        n = tl.load(sizes_ptr + group * 3 + 1)
        k = tl.load(sizes_ptr + group * 3 + 2)
        columns = tl.cdiv(n, TILE)
        tiles = tl.cdiv(m, TILE) * columns
        while tile >= last and tile < last + tiles:
            a = tl.load(a_ptrs + group).to(tl.pointer_type(tl.float32))
            b = tl.load(b_ptrs + group).to(tl.pointer_type(tl.float32))
            c = tl.load(c_ptrs + group).to(tl.pointer_type(tl.float32))
            position = tile - last
            rows = (position // columns) * TILE + tl.arange(0, TILE)[:, None]
            across = (position % columns) * TILE + tl.arange(0, TILE)[None, :]
            acc = tl.zeros((TILE, TILE), tl.float32)
            for start in range(0, k, TILE):
                along = start + tl.arange(0, TILE)
                x = tl.load(a + rows * k + along[None, :], mask=(rows < m) & (along[None, :] < k), other=0.0)
                y = tl.load(b + along[:, None] * n + across, mask=(along[:, None] < k) & (across < n), other=0.0)
                acc += tl.dot(x, y, input_precision="ieee")
            tl.store(c + rows * n + across, acc, mask=(rows < m) & (across < n))
            tile += PROGRAMS
        last = last + tiles


@pytest.mark.cpu_only
@pytest.mark.addresses
def test_grouped_products_follow_pointers_in_memory(run: Run) -> None:
    shapes = [(20, 33, 17), (16, 16, 16), (5, 40, 50)]
    a = [numbers(torch.float32, m, k) for m, _, k in shapes]
    b = [numbers(torch.float32, k, n) for _, n, k in shapes]
    c = [torch.zeros(m, n) for m, n, _ in shapes]
    # All operands of the group are in one storage, so that the interpreter knows the memory of the addresses.
    pools = [torch.cat([x.reshape(-1) for x in group]) for group in (a, b, c)]

    def addresses(pool: torch.Tensor, group: list[torch.Tensor]) -> torch.Tensor:
        starts = [sum(x.numel() for x in group[:position]) for position in range(len(group))]
        return torch.tensor([pool.data_ptr() + 4 * start for start in starts], dtype=torch.int64)

    tables = [addresses(pool, group) for pool, group in zip(pools, (a, b, c), strict=True)]
    sizes = torch.tensor(shapes, dtype=torch.int32)
    run(grouped_product_with_pools, (3,), *tables, sizes, *pools, GROUPS=3, PROGRAMS=3, TILE=16)
    check(pools[2], torch.cat([(x.double() @ y.double()).reshape(-1) for x, y in zip(a, b, strict=True)]), scale=40)


@blockdsl.jit
def grouped_product_with_pools(
    a_ptrs, b_ptrs, c_ptrs, sizes_ptr, a_pool, b_pool, c_pool,
    GROUPS: tl.constexpr, PROGRAMS: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    grouped_product(a_ptrs, b_ptrs, c_ptrs, sizes_ptr, GROUPS, PROGRAMS, TILE)
