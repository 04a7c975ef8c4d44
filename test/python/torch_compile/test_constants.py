"""Tests of objects that are constants of a graph by identity, also where torch supports only numbers and text."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
import torch
from torch._dynamo.exc import InternalTorchDynamoError
from torch._dynamo.utils import counters
from torch._dynamo.variables import functions
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing import assert_close

import blockdsl
import blockdsl.language as tl
from blockdsl.torch_compile import constants


class Shape:
    """An object of a program's own, whose attributes a kernel reads."""

    def __init__(self, block: int, factor: float) -> None:
        self.block, self.factor = block, factor


@blockdsl.jit
def shaped(x_ptr, out_ptr, n, SHAPE: tl.constexpr):
    at = tl.arange(0, SHAPE.block)
    tl.store(out_ptr + at, SHAPE.factor * tl.load(x_ptr + at, mask=at < n), mask=at < n)


class Kind(enum.Enum):
    TWICE = 2


class Pair(NamedTuple):
    source: Any
    target: Any


@blockdsl.jit
def with_kind(pair, n, KIND: tl.constexpr, TYPE: tl.constexpr):
    at = tl.arange(0, 16)
    factor: tl.constexpr = KIND.value
    tl.store(pair.target + at, (factor * tl.load(pair.source + at, mask=at < n)).to(TYPE), mask=at < n)


shape = Shape(16, 3.0)


def function(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    shaped[(1,)](x, out, x.numel(), shape)
    return out


def as_torch_2_11(tx: Any, fn: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Dynamo's function before torch 2.13: no argument is an object."""
    from torch._dynamo.source import ConstantSource

    values = [each.as_python_constant() for each in args]
    named = {key: each.as_python_constant() for key, each in kwargs.items()}
    return tx.output.register_attr_or_module(fn(*values, **named), name, source=ConstantSource(name))


def test_objects_are_not_constants_in_old_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "invoke_and_store_as_constant", as_torch_2_11)
    with pytest.raises(InternalTorchDynamoError, match=r"UserDefinedObjectVariable\(JITFunction\) is not a constant"):
        torch.compile(function, backend="eager", fullgraph=True)(torch.randn(10))


@pytest.mark.parametrize("is_old", [False, True])
def test_another_object_is_another_graph(is_old: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_old:
        monkeypatch.setattr(functions, "invoke_and_store_as_constant", as_torch_2_11)
        constants._take_objects()
    counters.clear()
    compiled = torch.compile(function, backend="eager", fullgraph=True)
    x = torch.randn(10)
    for _ in range(2):
        assert_close(compiled(x), 3 * x)
    assert counters["stats"]["unique_graphs"] == 1
    monkeypatch.setitem(globals(), "shape", Shape(32, 5.0))
    assert_close(compiled(x), 5 * x)
    assert counters["stats"]["unique_graphs"] == 2


def test_enumerations_types_and_tuples_with_names() -> None:
    def chosen(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        with_kind[(1,)](Pair(x, target=out), x.numel(), Kind.TWICE, tl.float32)
        return out

    x = torch.randn(10)
    assert_close(chosen(x), 2 * x)
    assert_close(torch.compile(chosen, backend="aot_eager", fullgraph=True)(x), 2 * x)
    assert_close(make_fx(chosen, tracing_mode="fake")(x)(x), 2 * x)
