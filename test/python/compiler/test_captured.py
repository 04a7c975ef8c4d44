"""Tests of captured globals: after a change the kernel is compiled again, in this process and from the disk cache."""

from __future__ import annotations

from collections import namedtuple
from enum import IntEnum
from typing import Any, NamedTuple

import pytest
import torch

import blockdsl
import blockdsl.language as tl


def fields(first: str, second: str) -> Any:
    return namedtuple("Pair", [first, second])


def defaults(value: int) -> Any:
    class Pair(NamedTuple):
        a: int
        b: int = value

    return Pair


def aggregate(times: int) -> Any:
    @blockdsl.aggregate
    class Once:
        x: tl.tensor

        @blockdsl.jit
        def value(self):
            return self.x

    @blockdsl.aggregate
    class Twice:
        x: tl.tensor

        @blockdsl.jit
        def value(self):
            return self.x * 2

    return Once if times == 1 else Twice


def members(value: int) -> Any:
    return IntEnum("Members", {"A": value})


def attributes(value: int) -> Any:
    return type("Attributes", (), {"A": tl.constexpr(value)})


def returning(value: int) -> Any:
    def constant() -> int:
        return value

    return constant


MEANING: Any = None


@blockdsl.jit
def by_position(out):
    tl.store(out, MEANING(1, 2).a)


@blockdsl.jit
def by_default(out):
    tl.store(out, MEANING(1).b)


@blockdsl.jit
def by_type(out):
    tl.store(out, (tl.load(out + 1) + 0.5).to(MEANING))


@blockdsl.jit
def by_name(out):
    tl.store(out, MEANING(tl.load(out + 1)))


@blockdsl.jit
def by_method(out):
    tl.store(out, MEANING(tl.load(out + 1)).value())


@blockdsl.jit
def by_item(out):
    tl.store(out, MEANING[0])


@blockdsl.jit
def by_member(out):
    tl.store(out, MEANING.A)


@blockdsl.constexpr_function
def computed():
    return twice()


def twice() -> Any:
    return 2 * (MEANING() if callable(MEANING) else MEANING)


@blockdsl.jit
def by_a_function_of_pythons(out):
    tl.store(out, computed())


@pytest.mark.parametrize(
    ("kernel", "one", "other", "given"),
    [
        (by_position, fields("a", "b"), fields("b", "a"), (1, 2)),
        (by_default, defaults(3), defaults(7), (3, 7)),
        (by_type, tl.float32, tl.int32, (4.5, 4)),
        (by_name, tl.sqrt, tl.abs, (2, 4)),
        (by_method, aggregate(1), aggregate(2), (4, 8)),
        (by_item, (tl.constexpr(1), tl.constexpr(2)), (tl.constexpr(3), tl.constexpr(2)), (1, 3)),
        (by_member, members(1), members(4), (1, 4)),
        (by_member, attributes(1), attributes(5), (1, 5)),
        (by_a_function_of_pythons, 3, 4, (6, 8)),
        (by_a_function_of_pythons, returning(3), returning(5), (6, 10)),
    ],
)
def test_changed_meaning_of_a_captured_name(
    kernel: Any, one: Any, other: Any, given: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []
    for meaning, expected in zip((one, other), given, strict=True):
        monkeypatch.setitem(globals(), "MEANING", meaning)
        out = torch.tensor([0.0, 4.0])
        kernel[(1,)](out)
        assert out[0] == expected
        keys.append(kernel.source.cache_key)
    assert keys[0] != keys[1]


@blockdsl.jit
def with_a_parameter_of_a_globals_name(out, MEANING):
    tl.store(out, MEANING)


def test_global_shadowed_by_parameter_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    keys = set()
    for value in (tl.constexpr(1), tl.constexpr(2)):
        monkeypatch.setitem(globals(), "MEANING", value)
        compiled.append(with_a_parameter_of_a_globals_name[(1,)](torch.zeros(1), 5.0))
        keys.add(with_a_parameter_of_a_globals_name.source.cache_key)
    assert compiled[0] is compiled[1]
    assert len(keys) == 1
