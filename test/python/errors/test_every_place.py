"""Test that each error of the package has a golden: a text among the tests with all of its fixed words.

An error is a call of one of our exceptions, or of a function that makes one, with a message in its source. Formatted
values may be anything; the fixed parts of the message must occur in the golden, in order. A message that is selected by
a condition counts as two.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from blockdsl import errors

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "blockdsl"

# The index of the message among the arguments.
MAKERS = {name: 0 for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)}
MAKERS |= {"expects": 1, "_expects": 1, "_plain": 0, "Undefined": 0}

BUILTIN = {name for name in dir(builtins) if name.endswith("Error")}


def wordings(node: ast.expr) -> list[str]:
    """Returns the patterns of all messages that an expression may be."""
    if isinstance(node, ast.Constant):
        return [_any_fields(str(node.value))]
    if isinstance(node, ast.IfExp):
        return wordings(node.body) + wordings(node.orelse)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [a + b for a, b in itertools.product(wordings(node.left), wordings(node.right))]
    if isinstance(node, ast.FormattedValue):
        return wordings(node.value) if isinstance(node.value, ast.IfExp) else [".*?"]
    if isinstance(node, ast.JoinedStr):
        parts = [[re.escape(str(p.value))] if isinstance(p, ast.Constant) else wordings(p) for p in node.values]
        return ["".join(each) for each in itertools.product(*parts)]
    return [".*?"]


def _any_fields(text: str) -> str:
    # The tables of launch_errors.py hold texts for str.format.
    return ".*?".join(map(re.escape, re.split(r"\{\w+\}", text)))


def places() -> Iterator[tuple[str, str]]:
    """Yields the locations of errors in the package, and patterns of their words."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            at = MAKERS.get(name)
            if at is not None and len(node.args) > at:
                for words in wordings(node.args[at]):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", words.removeprefix(".*?").strip("\\ ")


@functools.cache
def goldens() -> str:
    """Returns every text of the tests, also without the escapes of regular expressions."""
    texts: list[str] = []
    for path in sorted((ROOT / "test").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
            elif isinstance(node, ast.JoinedStr):
                texts.append("".join(str(p.value) if isinstance(p, ast.Constant) else "\0" for p in node.values))
    # The lines of a wrapped golden are joined, because a message has one line.
    return "\n".join([*texts, *(re.sub(r"\\(.)", r"\1", text) for text in texts)])


PLACES = list(places())


@pytest.mark.parametrize("words", sorted({words for _, words in PLACES}))
def test_place(words: str) -> None:
    where = ", ".join(location for location, each in PLACES if each == words)
    assert re.search(words, goldens()), f"no test has the words of {where}"


def test_number_of_raise_statements() -> None:
    assert len(PLACES) > 270


def test_wording_matches_its_message_only() -> None:
    (formatted,) = wordings(ast.parse("f\"'{name}' expects {count} arguments, got {len(args)}\"", mode="eval").body)
    assert re.search(formatted, "TypeMismatchError: 'two' expects 2 arguments, got 3")
    assert not re.search(formatted, "'two' expects 2 blocks, got 3")
    assert wordings(ast.parse("'a' + ('b' if x else 'c')", mode="eval").body) == ["ab", "ac"]
    assert _any_fields("kernel '{kernel}' needs") == "kernel\\ '.*?'\\ needs"


def test_builtin_exceptions_are_few() -> None:
    """These have no location in a kernel. The remaining exceptions are part of Python's protocols."""
    raised = {
        f"{path.relative_to(PACKAGE)}: {node.exc.func.id}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name)
        if node.exc.func.id in BUILTIN
    }
    assert raised == {
        "compiler/compiled_kernel.py: AttributeError",
        "compiler/compiled_kernel.py: KeyError",
        "compiler/compiled_kernel.py: ValueError",
        "errors/memory_shortage.py: MemoryError",
        "frontend/loops.py: AssertionError",
        "interpreter/programs.py: KeyError",
        "knobs/groups.py: AttributeError",
        "knobs/variables.py: ValueError",
        "language/__init__.py: AttributeError",
        "language/extra/libdevice.py: AttributeError",
        "testing/report.py: ImportError",
        "testing/report.py: ValueError",
        "testing/timing.py: ValueError",
        "torch_compile/__init__.py: AttributeError",
        "triton/assembly.py: KeyError",
        "triton/options.py: AssertionError",
    }
