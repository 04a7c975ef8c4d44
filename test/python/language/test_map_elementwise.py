"""Tests of functions of scalars on every element: branches, several results, several elements in one call."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import TypeMismatchError


@blockdsl.jit
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@blockdsl.jit
def quotient_and_rest(a0, a1, b0, b1):
    return a0 // b0, a1 // b1, a0 % b0, a1 % b1


@blockdsl.jit
def sorted_fours(a, b, c, d):
    if a > b:
        a, b = b, a
    if c > d:
        c, d = d, c
    if a > c:
        a, c = c, a
    if b > d:
        b, d = d, b
    if b > c:
        b, c = c, b
    return a, b, c, d


@blockdsl.jit
def sum_with_half(x, y):
    return x + 0.5 * y


@blockdsl.jit
def steps_of(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.map_elementwise(collatz, tl.load(x_ptr + at)))


def test_branches_and_loops_on_values(run: Run) -> None:
    out = torch.zeros(32, dtype=torch.int32)
    run(steps_of, (1,), torch.arange(32, dtype=torch.int32), out, N=32)
    expected = [0, 0, 1, 7, 2, 5, 8, 16, 3, 19, 6, 14, 9, 9, 17, 17, 4, 12, 20, 20, 7, 7, 15, 15, 10, 23, 10, 111, 18,
                18, 18, 106]  # fmt: skip
    assert out.tolist() == expected


@blockdsl.jit
def divided(a_ptr, b_ptr, quotient_ptr, rest_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    quotient, rest = tl.map_elementwise(quotient_and_rest, tl.load(a_ptr + at), tl.load(b_ptr + at), pack=2)
    tl.store(quotient_ptr + at, quotient)
    tl.store(rest_ptr + at, rest)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64])
def test_two_results_of_pairs(run: Run, dtype: torch.dtype) -> None:
    a, b = (torch.arange(512) % 100).to(dtype), (torch.arange(512) % 7 + 1).to(dtype)
    quotient, rest = torch.zeros(512, dtype=dtype), torch.zeros(512, dtype=dtype)
    run(divided, (1,), a, b, quotient, rest, N=512)
    assert torch.equal(quotient, a // b)
    assert torch.equal(rest, a % b)


@blockdsl.jit
def sorted_rows(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    (block,) = tl.map_elementwise(sorted_fours, tl.load(x_ptr + at), pack=4)
    tl.store(out_ptr + at, block)


@pytest.mark.cpu_only
@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (8, 16), (2, 64)])
def test_fours_along_the_last_dimension(run: Run, rows: int, columns: int) -> None:
    x, out = torch.randn(rows, columns), torch.zeros(rows, columns)
    run(sorted_rows, (1,), x, out, M=rows, N=columns)
    assert torch.equal(out, x.reshape(-1, 4).sort().values.reshape(rows, columns))


@blockdsl.jit
def broadcast_sum(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    block = tl.map_elementwise(sum_with_half, tl.load(x_ptr + at)[:, None], tl.load(y_ptr + at)[None, :])
    tl.store(out_ptr + at[:, None] * N + at[None, :], block)


def test_operands_are_broadcast(run: Run) -> None:
    x, y, out = torch.randn(8), torch.randn(8), torch.zeros(8, 8)
    run(broadcast_sum, (1,), x, y, out, N=8)
    torch.testing.assert_close(out, x[:, None] + 0.5 * y[None, :])


@blockdsl.jit
def wrong(x_ptr, FUNCTION: tl.constexpr, PACK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.map_elementwise(FUNCTION, x, pack=PACK)


@blockdsl.jit
def first_of_two(a, b):
    return a


@blockdsl.jit
def of_two_types(a, b):
    return a, b.to(tl.int32)


@blockdsl.jit
def on_a_scalar(x_ptr):
    tl.map_elementwise(collatz, tl.load(x_ptr))


@pytest.mark.parametrize(("kernel", "given", "message"), [
    (wrong, {"FUNCTION": quotient_and_rest, "PACK": 3}, "expects pack to be a power of two that divides the last "
     "dimension (16), got 3"),
    (wrong, {"FUNCTION": first_of_two, "PACK": 32}, "divides the last dimension (16), got 32"),
    (wrong, {"FUNCTION": first_of_two, "PACK": 2}, "expects its function to return 2 scalars for each result, got 1: "
     "fp32"),
    (wrong, {"FUNCTION": of_two_types, "PACK": 2}, "expects scalars of one type for result 0, got fp32, int32"),
    (on_a_scalar, {}, "expects a block, got fp32")])  # fmt: skip
def test_mistakes(run: Run, kernel: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeMismatchError) as caught:
        run(kernel, (1,), torch.ones(16), **given)
    assert message in caught.value.message
    assert caught.value.location is not None


@blockdsl.jit
def half_or_more(a):
    if a % 2 == 0:
        return a // 2
    return a * 3


@blockdsl.jit
def scanned_and_multiplied(x_ptr, sums_ptr, back_ptr, product_ptr, N: tl.constexpr):
    rows, columns = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    at = rows * N + columns
    x = tl.map_elementwise(half_or_more, tl.load(x_ptr + at))
    tl.store(sums_ptr + at, tl.cumsum(x, 1))
    tl.store(back_ptr + at, tl.cumsum(x, 0, reverse=True))
    left = x.to(tl.float32)
    tl.store(product_ptr + at, tl.dot(left, left, acc=left, input_precision="ieee"))


def test_branches_under_scans_and_products(run: Run) -> None:
    x = torch.arange(256, dtype=torch.int32).reshape(16, 16) % 23
    sums, back, product = torch.zeros_like(x), torch.zeros_like(x), torch.zeros(16, 16)
    run(scanned_and_multiplied, (1,), x, sums, back, product, N=16)
    mapped = torch.where(x % 2 == 0, x // 2, x * 3)
    assert torch.equal(sums, mapped.cumsum(1).int())
    assert torch.equal(back, mapped.flip(0).cumsum(0).flip(0).int())
    assert torch.equal(product, mapped.float() @ mapped.float() + mapped.float())
