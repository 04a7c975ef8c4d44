"""Tests of deep nesting: long chains take no stack; other nesting ends in an error at its line."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import CompilationError, KernelSyntaxError
from blockdsl.language.op import OPS

_numbers = itertools.count()


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Makes a kernel of statements on ``v``, the value at ``x``.

    As in a notebook, its file exists in linecache only.
    """

    def make(body: str, parameters: str = "x, n") -> Any:
        lines = ["v = tl.load(x)", *body.splitlines(), "tl.store(x, v)"]
        text = f"@blockdsl.jit\ndef k({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
        name = f"<depth {next(_numbers)}>"
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
        names: dict[str, Any] = {"blockdsl": blockdsl, "tl": tl}
        exec(compile(text, name, "exec"), names)
        return names["k"]

    return make


def elifs(statements: list[str]) -> str:
    """``if n == 0: ... elif n == 1: ...``"""
    words = itertools.chain(["if"], itertools.repeat("elif"))
    return "\n".join(f"{word} n == {at}:\n    {one}" for at, (word, one) in enumerate(zip(words, statements)))  # noqa: B905


BIG = 500
VALUES = {
    "additions": ("v = v" + " + 1.0" * BIG, BIG + 1.0),
    "unary": ("v = " + "- " * BIG + "v", 1.0),
    "methods": ("v = v" + ".abs()" * BIG, 1.0),
    "subscripts": ("v = tl.sum(tl.full((4,), 1.0, tl.float32)" + "[:]" * BIG + ")", 4.0),
    "and": ("if " + " and ".join(f"n != {at + 9}" for at in range(BIG)) + ":\n    v += 1.0", 2.0),
    "comparisons": ("if " + " < ".join(["0", "n", *map(str, range(5, BIG))]) + ":\n    v += 1.0", 2.0),
    "elifs": (elifs([f"v += {at}.0" for at in range(BIG)]), 4.0),
    "constant elifs": (elifs([f"v += {at}.0" for at in range(BIG)]).replace("n ==", "3 =="), 4.0),
    "elifs of which one returns": (elifs(["return" if at == 5 else f"v += {at}.0" for at in range(BIG)]), 4.0),
    "conditional expressions": ("v = " + "".join(f"{at}.0 if n == {at} else " for at in range(BIG)) + "v", 3.0),
    "parentheses": ("v = " + "1.0 + (" * 150 + "v" + ")" * 150, 151.0),
    "tuples": ("t = " + "(" * 90 + "v" + ",)" * 90 + "\nif n > 1:\n    t = t\nv = t" + "[0]" * 90, 1.0),
    "nested ifs": ("\n".join(" " * at + f"if n > {-at}:" for at in range(90)) + "\n" + " " * 90 + "v += 1.0", 2.0),
}


@pytest.mark.parametrize("what", VALUES)
def test_long_chains_compile(what: str, kernel: Callable[[str], Any]) -> None:
    body, expected = VALUES[what]
    x = np.ones(1, np.float32)
    kernel(body)[(1,)](x, 3)
    assert x[0] == expected


@pytest.mark.parametrize("n", [0, 4, 5, 6, 7])
def test_elifs_and_returns_choose_right(n: int, kernel: Callable[[str], Any]) -> None:
    body = elifs(["v += 1.0", "return", "v += 3.0", "return", "v += 5.0", "v += 6.0"]) + "\nelse:\n    v += 7.0"
    x = np.ones(1, np.float32)
    kernel(body)[(1,)](x, n)
    assert x[0] == 1.0 + {0: 1.0, 4: 5.0, 5: 6.0}.get(n, 7.0)


def test_deep_nesting_is_an_error_at_its_line(kernel: Callable[[str], Any]) -> None:
    deep = kernel("v = v + " + " ** ".join(["1"] * 900))
    with pytest.raises(
        KernelSyntaxError, match=r"the kernel is nested deeper than Python's stack, of \d+ calls, goes"
    ) as got:
        deep[(1,)](np.ones(1, np.float32), 3)
    assert got.value.location is not None
    assert got.value.location.line == 4
    assert got.value.hint == "give inner expressions names of their own; sys.setrecursionlimit allows more"


def test_recursion_over_constants_is_limited(kernel: Callable[..., Any]) -> None:
    endless = kernel("if N >= 0:\n    k(x, N + 1)", "x, N: tl.constexpr")
    with pytest.raises(KernelSyntaxError) as got:
        endless[(1,)](np.ones(1, np.float32), 3)
    location = str(got.value.location)
    assert str(got.value) == (
        f"calls are nested at most 64 deep, and 'k' is called in one more\n  {location}, in k  <- called from "
        + ", from ".join([location] * 4)
        + ", from ...\n      k(x, N + 1)\n      ^^^^^^^^^^^\n"
        "  hint: end a recursion over compile-time values, or loop with tl.static_range"
    )


def test_bounded_recursion_compiles(kernel: Callable[..., Any]) -> None:
    x = np.ones(1, np.float32)
    kernel("if N > 0:\n    k(x, N - 1)\nv = tl.load(x) + 1.0", "x, N: tl.constexpr")[(1,)](x, 50)
    assert x[0] == 52.0


def test_own_error_has_the_line(kernel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("an op")

    monkeypatch.setattr(OPS["mul"], "emit_rule", broken)
    with pytest.raises(CompilationError) as got:
        kernel("v = v * 2.0")[(1,)](np.ones(1, np.float32), 3)
    assert got.value.message == "blockdsl fails at this line: KeyError: 'an op'"
    assert got.value.hint == "this is a defect of blockdsl: please report it with the kernel"
    assert got.value.location is not None
    assert got.value.location.line == 4
    assert isinstance(got.value.__cause__, KeyError)
