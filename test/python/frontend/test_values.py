"""Tests of compile-time values that kernels compare and query: shapes, types, constexprs of functions, pointers."""

from __future__ import annotations

import math
import warnings
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import CompileTimeAssertionError, KernelAssertionError, KernelWarning


@blockdsl.jit
def shapes(out):
    x = tl.full((4, 8), 1, tl.int32)
    tl.static_assert(x.shape == [4, 8])
    tl.static_assert([4, 8] == x.shape)
    tl.static_assert(x.shape == (4, 8))
    tl.static_assert(x.shape != [4, 4])
    tl.static_assert(x.shape[1:] == [8])
    tl.static_assert(x.type.shape == [4, 8])
    tl.static_assert(tl.full((), 1, tl.int32).shape == [])
    tl.store(out, 1.0)


@tl.constexpr
def wider(dtype):
    return tl.float32 if dtype.is_int() else dtype


@blockdsl.jit
def value_of_a_type(out, DTYPE: tl.constexpr):
    if DTYPE.value.is_floating():
        tl.store(out, 1.0)


@blockdsl.jit
def constexpr_of_a_function(out, DTYPE: tl.constexpr):
    dtype: tl.constexpr = wider(tl.int8)
    tl.static_assert(dtype == tl.float32)
    tl.store(out, 1.0)


@blockdsl.jit
def truth_of_a_pointer(out):
    if out:
        tl.store(out, 1.0)


@blockdsl.jit
def tuple_of_the_language(out):
    pair = tl.tuple((1.0, 2.0))
    tl.static_assert(isinstance(pair, tl.tuple))
    tl.store(out, pair[0])


@blockdsl.jit
def constants_of_modules(out):
    tl.static_assert(math.floor(math.log2(1000)) == 9)
    width: tl.constexpr = math.ceil(math.sqrt(15))
    tl.store(out, tl.where(tl.sum(tl.zeros((width,), tl.float32)) == 0, math.pi / np.pi, -math.inf))


class Pair(NamedTuple):
    first: tl.constexpr
    second: tl.constexpr


PAIR = Pair(tl.constexpr(2.0), tl.constexpr(1.0))


@blockdsl.jit
def constants_in_a_named_tuple(out):
    tl.store(out, PAIR.first - PAIR.second)


@blockdsl.jit
def types_are_asked_for(out, DTYPE: tl.constexpr):
    tl.static_assert(not isinstance(3, tl.constexpr))
    tl.static_assert(isinstance(DTYPE, tl.dtype))
    if isinstance(tl.load(out), tl.tensor):
        tl.store(out, 1.0)


@blockdsl.jit
def pythons_min_and_max_of_blocks(out):
    lanes = tl.arange(0, 8)
    limited = min(max(lanes, 2), 5.5, lanes + 1)
    tl.static_assert(limited.dtype == tl.float32)
    nan = max(limited, float("nan"), propagate_nan=tl.PropagateNan.ALL)
    tl.store(out, (tl.sum(limited) == 28.0 and tl.sum((nan != nan).to(tl.int32)) == 8).to(tl.float32))


@blockdsl.jit
def checked(size: tl.constexpr):
    assert size == 3, f"{size}"
    return size


@blockdsl.jit
def assertions_where_nobody_comes(out):
    if tl.load(out) > 5:
        assert math.pi == 3, "never"
        tl.store(out, checked(4))
    tl.store(out, 1.0)


@blockdsl.jit
def by_name_alone(out, *, DTYPE: tl.constexpr, scale=1.0):
    tl.store(out, tl.full((), scale, DTYPE))


@blockdsl.jit
def typed_by_a_text(out, a: i8 = 100, b: tl.float64 = 0.1):  # noqa: F821 - Triton's spelling
    tl.static_assert(a.dtype == tl.int8 and b.dtype == tl.float64)
    tl.store(out, (a + a).to(tl.float32) / -56.0)


KERNELS = [
    constants_in_a_named_tuple,
    shapes, value_of_a_type, constexpr_of_a_function, truth_of_a_pointer, tuple_of_the_language, constants_of_modules,
    types_are_asked_for, pythons_min_and_max_of_blocks, assertions_where_nobody_comes, by_name_alone,
    typed_by_a_text,
]  # fmt: skip


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_kernel(kernel: Any, way: str) -> None:
    out = np.zeros(1, np.float32)
    given = {"DTYPE": tl.float16} if "DTYPE" in kernel.arg_names else {}
    if way == "compiled":
        kernel[(1,)](out, **given)
    else:
        defaults = {each.name: each.default for each in kernel.source.parameters if each.name in ("scale", "a", "b")}
        interpreter.run(kernel.source, {"out": out, **given, **defaults}, (1,))
    assert out[0] == 1.0


@blockdsl.jit
def assertions_that_fail(out, n):
    if n > 3:
        checked(4)
    assert n > 1, "more than one"


@pytest.mark.parametrize(("n", "words"), [(2, None), (4, "4"), (0, "more than one")])
@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_assertions_of_constants_fail_where_they_are_reached(n: int, words: str | None, way: str) -> None:
    out = np.zeros(1, np.float32)
    with nullcontext() if words is None else pytest.raises(KernelAssertionError, match=words):
        if way == "compiled":
            assertions_that_fail[(1,)](out, n)
        else:
            interpreter.run(assertions_that_fail.source, {"out": out, "n": n}, (1,))


def test_assertion_that_always_fails_is_a_compile_error() -> None:
    @blockdsl.jit
    def uneven(size: tl.constexpr):
        assert size % 2 == 0, f"{size} is odd"

    with pytest.raises(CompileTimeAssertionError, match="3 is odd"):
        uneven[(1,)](3)


def test_a_constexpr_of_a_function_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = constexpr_of_a_function.source.cache_key
    monkeypatch.setattr(wider, "value", value_of_a_type.fn)
    assert constexpr_of_a_function.source.cache_key != before


@blockdsl.jit
def annotates_a_load(x_ptr, n):
    for i in range(n):
        x: tl.constexpr = tl.load(x_ptr + i)
        tl.store(x_ptr + i, x + 1.0)


@blockdsl.jit
def annotates_constants(x_ptr, n):
    kind: tl.constexpr = x_ptr.dtype.element_ty
    two: tl.constexpr = 2
    tl.store(x_ptr, two.to(kind) + n)


def test_a_constexpr_annotation_of_a_runtime_value_warns() -> None:
    x = torch.zeros(4)
    with pytest.warns(KernelWarning) as caught:
        annotates_a_load[(1,)](x, 4)
    assert x.tolist() == [1.0] * 4
    (warning,) = caught
    assert str(warning.message) == (
        "'x' is annotated as tl.constexpr, and its value of type fp32 is known at run time only: "
        "leave the annotation out"
    )
    assert (warning.filename, warning.lineno) == (__file__, annotates_a_load.source.line + 3)


def test_a_constexpr_annotation_of_a_constant_does_not() -> None:
    x = torch.zeros(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        annotates_constants[(1,)](x, 4)
    assert x.item() == 6.0


def test_the_warning_may_be_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KernelWarning):
            annotates_a_load.warmup(torch.float16, 4, grid=(1,))
