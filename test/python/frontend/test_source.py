"""Tests of a kernel's source: parameters, captured names, and the key of its code."""

from __future__ import annotations

import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import KernelSyntaxError
from blockdsl.frontend import KernelSource

FACTOR = tl.constexpr(2)


@blockdsl.jit
def helper(x):
    return x * FACTOR


@blockdsl.jit
def kernel(x, n: tl.int64, BLOCK: tl.constexpr, *, flag: tl.constexpr = True):
    tl.store(x, helper(n + BLOCK))


def test_parameters() -> None:
    parameters = {parameter.name: parameter for parameter in kernel.source.parameters}
    assert [name for name, parameter in parameters.items() if parameter.is_constexpr] == ["BLOCK", "flag"]
    assert parameters["flag"].default is True


def test_key_changes_with_captured_constants_and_callees(monkeypatch: pytest.MonkeyPatch) -> None:
    before = kernel.source.cache_key
    assert kernel.source.cache_key == before
    monkeypatch.setattr(FACTOR, "value", 3)
    assert kernel.source.cache_key != before
    monkeypatch.undo()
    assert kernel.source.cache_key == before


def test_key_depends_on_the_text_only() -> None:
    def make(count: int) -> KernelSource:
        width = tl.constexpr(count)

        def inner(x):  # type: ignore[no-untyped-def]
            tl.store(x, width)

        return KernelSource.of(inner)

    assert make(1).cache_key == make(1).cache_key
    assert make(1).cache_key != make(2).cache_key


def test_a_function_without_source_is_refused() -> None:
    names: dict[str, object] = {}
    exec(compile(b"def made(x): pass", "<made>", "exec"), names)
    with pytest.raises(KernelSyntaxError, match="the source of 'made' cannot be read"):
        KernelSource.of(names["made"])  # type: ignore[arg-type]


def test_keyword_dictionaries_are_refused() -> None:
    def variadic(x, **rest):  # type: ignore[no-untyped-def]
        pass

    with pytest.raises(KernelSyntaxError, match=r"'variadic' takes \*\*rest, which a kernel cannot"):
        KernelSource.of(variadic)


def test_a_text_at_the_margin_does_not_end_an_indented_kernel() -> None:
    def kernel(x):  # type: ignore[no-untyped-def]
        """A docstring of two lines, one of them at the margin."""
        tl.store(x, 1.0)

    source = KernelSource.of(kernel)
    location = source.location(source.tree.body[1])
    assert source.text.splitlines()[location.line - source.line].strip() == "tl.store(x, 1.0)"
    assert location.column == 9


def test_columns_count_characters() -> None:
    def kernel(x):  # type: ignore[no-untyped-def]
        tl.static_assert(True, "Äpfel") or tl.store(x, 1.0)

    source = KernelSource.of(kernel)
    location = source.location(source.tree.body[0].value.values[1])  # type: ignore[attr-defined]
    line = source.text.splitlines()[1]
    assert line[location.column - 1 : (location.end_column or 0) - 1] == "tl.store(x, 1.0)"


def test_refuses_source_without_function() -> None:
    pair = (lambda x: tl.store(x, 1.0), 0)[:1]
    with pytest.raises(KernelSyntaxError, match="a kernel must be a 'def', got Assign"):
        _ = KernelSource.of(pair[0]).tree


def test_refuses_truncated_source() -> None:
    # fmt: off
    pair = {0:
        lambda x: tl.store(x, 1.0)}
    # fmt: on
    with pytest.raises(KernelSyntaxError, match="the source of '<lambda>' cannot be parsed: ") as got:
        _ = KernelSource.of(pair[0]).tree
    assert got.value.hint == "a kernel is a 'def' of its own, in a file that has not changed since it was imported"
