"""Tests of kernels that are parsed while other threads disturb Python's parser."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreted


def store(x):
    tl.store(x, 3.0)


@triton.jit
def stock(x):
    triton.language.store(x, 3.0)


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lets every second call of ``ast.parse`` fail, and returns its failures."""
    parse, calls, failed = ast.parse, [0], list[str]()

    def disturbed(text: Any, *args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        if calls[0] % 2 == 1:
            failed.append(str(text))
            raise SystemError("AST constructor recursion depth mismatch (before=42, after=38)")
        return parse(text, *args, **kwargs)

    monkeypatch.setattr(ast, "parse", disturbed)
    return failed


@pytest.mark.parametrize("make", [blockdsl.jit, interpreted.InterpretedFunction, lambda _: stock])
def test_disturbed_parser(make: Callable[[Any], Any], failures: list[str]) -> None:
    x = torch.zeros(1)
    make(store)[(1,)](x)
    assert x == 3
    assert any("3.0" in text for text in failures)


def test_parser_that_always_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def disturbed(*_args: Any, **_kwargs: Any) -> None:
        raise SystemError("error return without exception set")

    monkeypatch.setattr(ast, "parse", disturbed)
    with pytest.raises(SystemError, match="without exception"):
        blockdsl.jit(store)[(1,)](torch.zeros(1))
