"""Result types of mixed operands: every row of Triton's tables, through our front end.

A row is (expression, argument types, result type or ``EXC ...``). ``a`` and ``b`` are blocks of 16 elements loaded from
the pointers ``a_`` and ``b_``, ``s`` and ``t`` are scalar arguments, ``i`` is a range. The expressions become kernels
in one generated file; a kernel prints its result's type while it is compiled.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.pool import Lost, run_cases
from conformance.verdict import Verdict, failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

Row = tuple[str, dict[str, str], str]

LATER = ("tl.atomic_add", "tl.rand", "tl.histogram")
HEADER = "import blockdsl\nimport blockdsl.language as tl\n"


def read_rows(path: Path) -> list[Row]:
    return [(expression, ast.literal_eval(types), result) for expression, types, result in json.loads(path.read_text())]


def signature(expression: str, types: dict[str, str]) -> dict[str, str]:
    """Blocks are passed as pointers; rows whose table names only ``s`` may use it or not."""
    pointers = {f"{name}_": f"*{kind}" for name, kind in types.items() if name in "ab"}
    return pointers | {name: kind for name, kind in types.items() if name in "st"}


def kernel_text(number: int, expression: str, types: dict[str, str]) -> str:
    lines = [
        "@blockdsl.jit",
        f"def row_{number}({', '.join(signature(expression, types))}):",
        "    i = tl.arange(0, 16)",
    ]
    lines += [f"    {name} = tl.load({name}_ + i)" for name in types if name in "ab"]
    # A bare constexpr has no type of its own until an op takes it, as the loop does.
    lines += [f"    result = {expression}", "    for _ in range(1):", f"        result = {expression}"]
    return "\n".join([*lines, "    tl.static_print(result.dtype)", ""])


def load_kernels(rows: list[Row], directory: str) -> ModuleType:
    path = Path(directory) / "promotion_rows.py"
    path.write_text(HEADER + "\n\n".join(kernel_text(number, row[0], row[1]) for number, row in enumerate(rows)))
    spec = importlib.util.spec_from_file_location("promotion_rows", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(directory: Path) -> Iterator[Verdict]:
    rows, older_rows = read_rows(directory / "promotion-3.9.json"), read_rows(directory / "promotion-3.6.json")
    # One worker for all rows: a row that ends it is found by running the suite alone.
    (_, results), *_ = run_cases(result_types, [rows], jobs=1, limit=120)
    if isinstance(results, Lost):
        yield failed("promotion: Triton 3.9", "all rows", str(results))
        return
    for (expression, types, expected), (_, _, older), result in zip(rows, older_rows, results, strict=True):
        case = f"{expression}  {types}"
        yield verdict("promotion: Triton 3.9", case, expression, expected, result)
        if is_error(older) != is_error(expected) or (older != expected and not is_error(expected)):
            yield skipped("promotion: Triton 3.6", case, "Triton 3.9 changed the rule, and we follow 3.9")
        else:
            yield verdict("promotion: Triton 3.6", case, expression, older, result)


def result_types(rows: list[Row]) -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        module = load_kernels(rows, directory)
        return [
            result_type(getattr(module, f"row_{number}"), signature(expression, types))
            for number, (expression, types, _) in enumerate(rows)
        ]


def is_error(result: str) -> bool:
    return result.startswith("EXC")


def verdict(suite: str, case: str, expression: str, expected: str, actual: str) -> Verdict:
    expected_outcome = "an error" if is_error(expected) else expected
    actual_outcome = "an error" if is_error(actual) else actual
    if actual_outcome == expected_outcome:
        return passed(suite, case)
    if any(name in expression for name in LATER):
        return skipped(suite, case, "atomics, random numbers and histograms come later")
    return failed(suite, case, f"{actual}, not {expected_outcome}")


def result_type(kernel: Any, types: dict[str, str]) -> str:
    import blockdsl

    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            blockdsl.compile(kernel, signature=types, constexprs={})
    except blockdsl.errors.BlockdslError as error:
        return f"EXC {str(error).splitlines()[0]}"[:120]
    lines = printed.getvalue().split()
    return lines[-1] if lines else "EXC nothing was printed"
