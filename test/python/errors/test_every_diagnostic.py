"""Each diagnostic of our C++ has a golden: an expected-error or a CHECK of a lit test, or a text of a Python test."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

_CALL = re.compile(r"\b(?:emitOpError|emitError)\s*\(")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(<<)|//[^\n]*|[;{}]')

# Errors of LLVM's own verifier, which no module of ours is known to cause.
UNREACHED = {re.escape("expects ops that are valid LLVM IR")}


def wording(statement: str) -> str | None:
    """Returns the pattern of a statement's message: its texts in order, with anything for values between them."""
    parts: list[str] = []
    for token in _TOKEN.finditer(statement):
        text, streamed = token[1], token[2]
        if text is not None:
            parts.append(re.escape(re.sub(r"\\(.)", r"\1", text)))
        elif streamed:
            parts.append(".*?")
        elif token[0] in ";{}":
            break
    words = re.sub(r"(?:\.\*\?)+", ".*?", "".join(parts)).removeprefix(".*?")
    return words or None


def diagnostics() -> Iterator[tuple[str, str]]:
    """Yields the locations of diagnostics in C++, and patterns of their words."""
    for path in sorted((ROOT / "lib").rglob("*.cpp")):
        source = path.read_text(encoding="utf-8")
        for call in _CALL.finditer(source):
            words = wording(source[call.end() :])
            if words is not None and words not in UNREACHED:
                yield f"{path.relative_to(ROOT)}:{source.count(chr(10), 0, call.start()) + 1}", words


@functools.cache
def goldens() -> str:
    """Returns the expected texts of lit tests, and the Python tests."""
    texts: list[str] = []
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        texts += re.findall(r"expected-\w+[^{\n]*\{\{(.*?)\}\}|CHECK[^:\n]*:(.*)", path.read_text(encoding="utf-8"))
    lines = ["".join(each) for each in texts]
    return "\n".join([*lines, *(path.read_text(encoding="utf-8") for path in sorted((ROOT / "test").rglob("*.py")))])


DIAGNOSTICS = list(diagnostics())


@pytest.mark.parametrize("words", sorted({words for _, words in DIAGNOSTICS}))
def test_diagnostic(words: str) -> None:
    where = ", ".join(location for location, each in DIAGNOSTICS if each == words)
    assert re.search(words, goldens()), f"no test has the words of {where}"


def test_number_of_diagnostics() -> None:
    assert len(DIAGNOSTICS) > 120


def test_wording_of_a_diagnostic_is_parsed() -> None:
    pattern = wording('"expects lhs (") << rows << ") to equal "  // a comment, "quoted"\n << 3;\n other("text");')
    assert pattern == re.escape("expects lhs (") + ".*?" + re.escape(") to equal ") + ".*?"
    assert re.search(pattern or "", "expects lhs (3) to equal 4")
    assert not re.search(pattern or "", "expects rhs (3) to equal 4")
