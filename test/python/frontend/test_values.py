"""Values that kernels compare and ask as Triton's do: shapes, types, constexprs of functions, pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter


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


KERNELS = [shapes, value_of_a_type, constexpr_of_a_function, truth_of_a_pointer, tuple_of_the_language]


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_kernel(kernel: Any, way: str) -> None:
    out = np.zeros(1, np.float32)
    given = {"DTYPE": tl.float16} if "DTYPE" in kernel.arg_names else {}
    if way == "compiled":
        kernel[(1,)](out, **given)
    else:
        interpreter.run(kernel.source, {"out": out, **given}, (1,))
    assert out[0] == 1.0


def test_a_constexpr_of_a_function_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = constexpr_of_a_function.source.cache_key
    monkeypatch.setattr(wider, "value", value_of_a_type.fn)
    assert constexpr_of_a_function.source.cache_key != before
