"""Tests of result types and shapes of the language's functions against a table of Triton 3.9's front end.

test/result_types.py wrote the table. Only the sets of accepted operands differ, by ``ACCEPTED`` and ``REFUSED``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import BlockdslError
from blockdsl.frontend.emitter import Emitter
from blockdsl.frontend.functions import Functions
from blockdsl.language.op import running
from blockdsl.language.tensor import tensor
from blockdsl.mlir import ir

TABLES = json.loads((Path(__file__).parent / "data" / "result-types-3.9.json").read_text())

ACCEPTED = {
    "8-bit floats are converted to and from every type": (
        "a.to(tl.int1) + a.to(tl.int1)", "tl.where(a, 1, 2)", "tl.rand(3, a)", "tl.randint(3, a)", "tl.randn(3, a)",
        "tl.load(a_ + i, i < 3, 0)", "tl.full((16,), s, a.dtype)", "tl.atomic_add(a_ + i, b)",
        *(f"a.to(tl.{name})" for name in TABLES["dtypes"] if "int" in name or "float8" in name),
    ),
    "are promoted as those of an operator": ("tl.div_rn(a, b)", "tl.umulhi(a, b)"),
    "counts integers of every type": ("tl.histogram(a, 16)",),
    "any number that the bits of the type can represent": ("tl.full((16,), {n}, tl.int64)",),
    "turns a scalar into a block of one element": ("tl.reshape(z({x}), {y})",),
}  # fmt: skip
"""Operands that Triton refuses and blockdsl accepts, with the reason."""

REFUSED = {
    "bitwise atomics on floats": ("tl.atomic_and(a_ + i, a)",),
    "whose type is not that of the result": (
        "tl.dot(tl.zeros((16, 32), a.dtype), tl.zeros((32, 16), a.dtype), tl.zeros((16, 16), b.dtype))",
    ),
    "that the bits of the type cannot represent": tuple(
        f"tl.full((16,), {{n}}, tl.{name})" for name in TABLES["dtypes"] if "int" in name and "64" not in name
    ),
}
"""Operands that Triton accepts and blockdsl refuses, with the reason."""


def test_differences_are_documented() -> None:
    page = " ".join((Path(__file__).parents[3] / "docs" / "compatibility.md").read_text().lower().split())
    for reason in (*ACCEPTED, *REFUSED):
        assert reason.lower() in page


def cases() -> Iterator[tuple[str, str, str, str, str]]:
    """Yields the row, and for each of its columns an expression, the dtypes of a and b, and Triton's result type."""
    dtypes, numbers, shapes = (TABLES[name] for name in ("dtypes", "numbers", "shapes"))
    for row, answers in TABLES["unary"].items():
        for a, answer in zip(dtypes, answers.split(), strict=True):
            yield row, row, a, "float32", answer
    for row, table in TABLES["binary"].items():
        for a, answers in table.items():
            for b, answer in zip(dtypes, answers.split(), strict=True):
                yield row, row, a, b, answer
    for row, answers in TABLES["of numbers"].items():
        for number, answer in zip(numbers, answers.split(), strict=True):
            yield row, row.format(n=number), "float32", "float32", answer
    for row, table in TABLES["of shapes"].items():
        for x, answers in table.items():
            for y, answer in zip(shapes, answers.split(), strict=True):
                yield row, row.format(x=x, y=y), "float32", "float32", answer


CASES = list(cases())


def described(value: Any) -> str:
    shape = ",".join(map(str, value.shape))
    return f"{value.dtype}[{shape}]" if shape else str(value.dtype)


def answered(expression: str, a: Any, b: Any, arguments: dict[str, Any]) -> str:
    """Returns the result type of an expression of the kernel in test/result_types.py, in the active mode."""
    i = tl.arange(0, 16)
    names = {"tl": tl, "i": i, "a": a, "b": b, "z": functools.partial(tl.zeros, dtype=tl.float32), **arguments}
    try:
        return described(tl.to_tensor(eval(expression, names)))
    except BlockdslError:
        return "-"


def types_of(a: str, b: str) -> dict[str, Any]:
    first, second = getattr(tl, a), getattr(tl, b)
    return {
        "a": tl.block_type(first, (16,)), "b": tl.block_type(second, (16,)), "a_": tl.pointer_type(first),
        "s": tl.int32, "f": tl.float32, "p": tl.pointer_type(tl.float32),
    }  # fmt: skip


def compiled(expression: str, a: str, b: str) -> str:
    mode = Emitter(ir.Context())
    Functions(mode)
    types = types_of(a, b)
    _, entry = mode.function("kernel", list(types.values()), [], {})
    made = {name: tensor(value, kind) for (name, kind), value in zip(types.items(), entry.arguments, strict=True)}
    with running(mode), mode.at(entry):
        return answered(expression, made.pop("a"), made.pop("b"), made)


def interpreted(expression: str, a: str, b: str) -> str:
    mode: Any = interpreter.Interpreter((1, 1, 1))
    memory = np.ones(64, np.int64)
    mode.memory.segments.append(interpreter.Segment("p", memory.ctypes.data, memory.nbytes, True, memory))
    made: dict[str, Any] = {}
    with running(mode), np.errstate(all="ignore"):
        for name, kind in types_of(a, b).items():
            ones = kind.scalar.is_ptr()
            made[name] = tensor(np.asarray(memory.ctypes.data), kind) if ones else mode.constant(1, kind)
        return answered(expression, made.pop("a"), made.pop("b"), made)


@pytest.mark.parametrize("row", dict.fromkeys(case[0] for case in CASES))
@pytest.mark.parametrize("way", [compiled, interpreted])
def test_row(way: Any, row: str) -> None:
    pairs = {case[1:4]: (way(*case[1:4]), case[4]) for case in CASES if case[0] == row}
    differing = {
        case: (own_type, triton_type) for case, (own_type, triton_type) in pairs.items() if own_type != triton_type
    }
    for known, refuses in ((ACCEPTED, 1), (REFUSED, 0)):
        if any(row in rows for rows in known.values()):
            assert differing, "it stands among those that differ, and none does"
            differing = {case: pair for case, pair in differing.items() if pair[refuses] != "-"}
    assert differing == {}
