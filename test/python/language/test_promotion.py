"""Tests of result types against a table of Triton 3.9's front end; where 3.6 differs, 3.9 counts."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import BlockdslError
from blockdsl.frontend import Specialization, build_module
from blockdsl.frontend.emitter import Emitter
from blockdsl.language.op import OPS, running
from blockdsl.mlir import ir

DATA = Path(__file__).parent / "data"
ROWS = json.loads((DATA / "promotion-3.9.json").read_text())

TORCH = {
    "i1": torch.bool, "i8": torch.int8, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8, "u32": torch.uint32,
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64,
    "fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn,
}  # fmt: skip


def _program(expression: str, arguments: dict[str, str]) -> str:
    """Returns a kernel that prints the type of an expression of blocks (a, b) and scalars (s, t)."""
    blocks = [name for name in arguments if name in "ab"]
    parameters = ", ".join(f"{name}_" if name in blocks else name for name in arguments)
    loads = "".join(f"    {name} = tl.load({name}_ + i)\n" for name in blocks)
    return (
        "import blockdsl\nimport blockdsl.language as tl\n\n@blockdsl.jit\n"
        f"def kernel({parameters}):\n    i = tl.arange(0, 16)\n{loads}"
        f"    tl.static_print(tl.to_tensor({expression}).dtype)\n"
    )


@pytest.fixture
def kernel(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    expression, arguments, _ = request.param
    path = tmp_path / "promotion_kernel.py"
    path.write_text(_program(expression, ast.literal_eval(arguments)))
    spec = importlib.util.spec_from_file_location("promotion_kernel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def _compile(kernel: Any, arguments: dict[str, str]) -> None:
    types = {
        f"{name}_" if name in "ab" else name: f"*{kind}" if name in "ab" else kind for name, kind in arguments.items()
    }
    build_module(kernel.source, Specialization(types), ir.Context())


def _interpret(kernel: Any, arguments: dict[str, str]) -> None:
    bound = {
        f"{name}_" if name in "ab" else name: torch.ones(16).to(TORCH[kind]) if name in "ab" else _scalar(kind)
        for name, kind in arguments.items()
    }
    interpreter.run(kernel.source, bound, (1,))


def _scalar(kind: str) -> int | float:
    return 2.0 if kind.startswith("fp") else 2**40 if kind == "i64" else 2


@pytest.mark.parametrize("way", [_compile, _interpret], ids=["compiled", "interpreted"])
@pytest.mark.parametrize(
    ("kernel", "arguments", "expected"),
    [(row, ast.literal_eval(row[1]), row[2]) for row in ROWS],
    ids=[f"{row[0]}-{row[1]}" for row in ROWS],
    indirect=["kernel"],
)
def test_result_type(way: Any, kernel: Any, arguments: dict[str, str], expected: str, capsys: Any) -> None:
    if expected.startswith("EXC"):
        with pytest.raises(BlockdslError):
            way(kernel, arguments)
    else:
        way(kernel, arguments)
        assert capsys.readouterr().out == f"{expected}\n"


def test_rows_that_differ_from_3_6() -> None:
    before = {tuple(row[:2]): row[2] for row in json.loads((DATA / "promotion-3.6.json").read_text())}
    changed = [row[0] for row in ROWS if not row[2].startswith("EXC") and before[tuple(row[:2])] != row[2]]
    assert changed == ["tl.cumsum(a,0)", "tl.cumprod(a,0)", "tl.fma(a,b,1.0)"]


# Output of test/operator_types.py: for each operator, the type for each pair of blocks and of a block and a number.
OPERATORS = json.loads((DATA / "operators-3.9.json").read_text())
METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "&": "and_", "|": "or_",
    "^": "xor", "<<": "shl", ">>": "shr", "==": "equal", "!=": "not_equal", "<": "less_than", "<=": "less_equal",
    ">": "greater_than", ">=": "greater_equal",
}  # fmt: skip


def _operand(mode: Any, name: str) -> Any:
    if hasattr(tl, name):
        return mode.constant(1, tl.block_type(getattr(tl, name), (16,)))
    return eval(name)


def _answers(mode: Any, symbol: str, rows: dict[str, str]) -> dict[tuple[str, str], str]:
    operands = {name: _operand(mode, name) for name in OPERATORS["operands"]}
    found = {}
    for left, row in rows.items():
        for right, answer in zip(operands, row.split(" "), strict=True):
            if answer:
                try:
                    found[left, right] = str(OPS[METHODS[symbol]](operands[left], operands[right]).dtype)
                except BlockdslError:
                    found[left, right] = "-"
    return found


@pytest.mark.parametrize("symbol", METHODS)
@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_operator(way: str, symbol: str) -> None:
    (rows,) = [table["rows"] for table in OPERATORS["tables"] if symbol in table["operators"]]
    expected = {
        (left, right): answer
        for left, row in rows.items()
        for right, answer in zip(OPERATORS["operands"], row.split(" "), strict=True)
        if answer
    }
    if way == "interpreted":
        mode: Any = interpreter.Interpreter((1, 1, 1))
        with running(mode), np.errstate(all="ignore"):
            found = _answers(mode, symbol, rows)
    else:
        mode = Emitter(ir.Context())
        _, entry = mode.function("operators", [], [], {})
        with running(mode), mode.at(entry):
            found = _answers(mode, symbol, rows)
    assert {pair: (found[pair], answer) for pair, answer in expected.items() if found[pair] != answer} == {}
