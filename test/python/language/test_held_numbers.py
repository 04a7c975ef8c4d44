"""Tests of numbers that are assigned to names: scalars with types, as in Triton, unlike literals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl
from blockdsl.language.folding import fold
from blockdsl.language.scalars import held

N = 16
HALF = tl.constexpr(2.5)


@blockdsl.jit
def gives_a_literal():
    return 2.5


@blockdsl.jit
def gives_a_name():
    value = 2.5
    return value  # noqa: RET504 - the name is what is tested


@blockdsl.jit
def gives_one_constant(n):
    if n > 30:
        return 2.5, 1.5
    return 2.5, 3.5


@blockdsl.jit
def times(x, factor):
    return x * factor


@blockdsl.jit
def times_default(x, factor=2.5):
    return x * factor


@blockdsl.jit
def widened(x_ptr, k_ptr, out, n, N: tl.constexpr):
    lanes = tl.arange(0, N)
    x, k = tl.load(x_ptr + lanes), tl.load(k_ptr + lanes)
    a, i = 2.5, 3
    tl.static_assert((x * 2.5).dtype == tl.float16)
    tl.static_assert((x * HALF).dtype == tl.float16)
    tl.static_assert((k * 3).dtype == tl.int8)
    tl.static_assert((x * a).dtype == tl.float32)
    tl.static_assert((k * i).dtype == tl.int32)
    tl.static_assert((x * i).dtype == tl.float16)
    tl.static_assert((k + True).dtype == tl.int8)
    tl.store(out + lanes, k * i * 100)
    annotated: tl.constexpr = 2.5
    whole: int = 3
    tl.static_assert((x * annotated).dtype == tl.float16)
    tl.static_assert((k * whole).dtype == tl.int32)
    later: tl.constexpr
    later = 2.5
    tl.static_assert((x * later).dtype == tl.float16)
    tl.static_assert((x * (walrus := 2.5)).dtype == tl.float32)
    tl.static_assert((x * -walrus).dtype == tl.float32)
    pair = (2.5, 3)
    tl.static_assert((x * pair[0]).dtype == tl.float32)
    tl.static_assert((x * x.shape[0]).dtype == tl.float16)
    size = x.shape[0]
    tl.static_assert((k * size).dtype == tl.int32)
    bound = HALF
    tl.static_assert((x * bound).dtype == tl.float32)
    lowest = float("-inf")
    tl.static_assert(tl.where(lanes > 3, x, lowest).dtype == tl.float32)
    tl.static_assert(tl.where(lanes > 3, x, float("-inf")).dtype == tl.float16)
    tl.static_assert(tl.maximum(x, lowest).dtype == tl.float32)
    tl.static_assert(tl.fma(x, x, a).dtype == tl.float32)
    tl.static_assert((k * min(i, 5)).dtype == tl.int32)
    tl.static_assert((k * min(3, 5)).dtype == tl.int8)
    tl.static_assert((x * gives_a_literal()).dtype == tl.float16)
    tl.static_assert((x * gives_a_name()).dtype == tl.float32)
    tl.static_assert((x * gives_one_constant(n)[0]).dtype == tl.float16)
    tl.static_assert((x * gives_one_constant(n)[1]).dtype == tl.float32)
    tl.static_assert(times(x, 2.5).dtype == tl.float16)
    tl.static_assert(times(x, a).dtype == tl.float32)
    tl.static_assert(times_default(x).dtype == tl.float16)
    for each in tl.static_range(2):
        tl.static_assert((k * each).dtype == tl.int8)
        a += 1.0
    tl.static_assert((x * a).dtype == tl.float32)


def test_annotated_name_widens_operands(run: Run) -> None:
    x, k = torch.ones(N, dtype=torch.float16), torch.arange(N, dtype=torch.int8)
    out = torch.zeros(N, dtype=torch.int32)
    run(widened, (1,), x, k, out, 11, N=N)
    assert torch.equal(out, 300 * torch.arange(N, dtype=torch.int32))


@blockdsl.jit
def computes(out):
    a, b, top, yes = -7, 2, 2147483647, True
    tl.store(out, a // b)
    tl.store(out + 1, -7 // 2)
    tl.store(out + 2, a % b)
    tl.store(out + 3, -7 % 2)
    tl.store(out + 4, top + 1)
    tl.store(out + 5, ~yes)
    tl.store(out + 6, yes + yes)
    tl.store(out + 7, (a / b) * 10)
    a //= -b
    tl.store(out + 8, a)
    a -= 1
    tl.store(out + 9, a * top)
    tl.store(out + 10, min(a, b) * 10 + max(b, 1.5))
    tl.store(out + 11, (a < b) + (b == 2))
    tl.store(out + 12, -a >> 1)


def test_operators_between_names_match_scalars(run: Run) -> None:
    out = torch.zeros(13, dtype=torch.int64)
    run(computes, (1,), out)
    expected = [-3, -4, -1, 1, -(2**31), 0, 0, -35, 3, 2 * (2**31 - 1) - 2**32, 22, 1, -1]
    assert out.tolist() == expected


@blockdsl.jit
def rounds(x_ptr, out, N: tl.constexpr):
    lanes = tl.arange(0, N)
    x = tl.load(x_ptr + lanes)
    tenth = 0.1
    tiny = 1e-50
    tl.store(out + lanes, x + tenth)
    tl.store(out + N + lanes, x + 0.1)
    tl.store(out + 2 * N + lanes, x + tiny)
    tl.store(out + 3 * N + lanes, x + (tenth + 0.2))


def test_a_name_holds_a_float_rounded_to_its_type(run: Run) -> None:
    x, out = torch.zeros(N, dtype=torch.float64), torch.zeros(4, N, dtype=torch.float64)
    run(rounds, (1,), x, out, N=N)
    tenth = np.float32(0.1)
    assert out[:, 0].tolist() == [tenth, 0.1, 1e-50, tenth + np.float32(0.2)]


@blockdsl.jit
def known(x_ptr, out, N: tl.constexpr):
    half = N // 2
    flag = half > 4
    shape = (2, half)
    if flag:
        block = tl.reshape(tl.load(x_ptr + tl.arange(0, 2 * half)), shape)
    else:
        missing_function(x_ptr)  # noqa: F821 - it is not looked at
    for each in tl.static_range(half - 6):
        block += each * 10
    tl.static_assert(flag and not half == 3)
    tl.store(out + tl.arange(0, half), tl.sum(block, axis=half - 8))


def test_name_stays_constexpr(run: Run) -> None:
    out = torch.zeros(N // 2, dtype=torch.int32)
    run(known, (1,), torch.arange(N, dtype=torch.int32), out, N=N)
    assert out.tolist() == [2 * at + 8 + 20 for at in range(8)]


@blockdsl.jit
def carried(x_ptr, out, n, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    total, count = 0.0, 0
    for at in range(n):
        total += tl.sum(x, 0)
        count += 2
    tl.static_assert(total.dtype == tl.float32)
    tl.store(out, total + count)


def test_loops_carry_names(run: Run) -> None:
    out = torch.zeros(1)
    run(carried, (1,), torch.ones(N, dtype=torch.float16), out, 3, N=N)
    assert out.item() == 54


@pytest.mark.parametrize(
    ("name", "left", "right"), [("lt", -1, 2**31), ("truediv", 7, 2), ("mul", 0.0, -1), ("pow", 3, 2)]
)
def test_folding(name: str, left: Any, right: Any) -> None:
    found = fold(name, held(left), held(right))
    expected = {"lt": False, "truediv": 3.5, "mul": -0.0, "pow": 9}[name]
    assert repr(found) == repr(expected)


def test_zeros_of_both_signs_are_distinguished() -> None:
    assert [str(fold("neg", held(each))) for each in (0.0, -0.0, 0.0)] == ["-0.0", "0.0", "-0.0"]


def test_repr_of_a_name_is_that_of_its_value() -> None:
    values = (True, 3, 0.5, (1, [2.0]), "text", None, tl.float32)
    assert repr([held(each) for each in values]) == repr(list(values))
