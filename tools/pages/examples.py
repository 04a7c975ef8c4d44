"""Examples of docstrings as kernels, with definitions of the names that they use."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Mapping

COMMON: Mapping[str, str] = {
    "BLOCK": "BLOCK: tl.constexpr = 16",
    "BLOCK_M": "BLOCK_M: tl.constexpr = 16",
    "BLOCK_N": "BLOCK_N: tl.constexpr = 32",
    "BLOCK_K": "BLOCK_K: tl.constexpr = 32",
    "GROUP": "GROUP: tl.constexpr = 2",
    "M": "M = 64",
    "N": "N = 32",
    "K": "K = 64",
    "a": "a = tl.load(memory + offsets)",
    "b": "b = tl.load(memory + offsets + 16)",
    "best_ptr": "best_ptr = memory",
    "bias": "bias = 1.0",
    "bits": "bits = tl.arange(0, 16)",
    "column": "column = tl.arange(0, 16)[:, None]",
    "columns": "columns = 3",
    "count": "count = 16",
    "desc": "desc = tl.make_tensor_descriptor(memory, [64, 32], [32, 1], [16, 32])",
    "digits": "digits = tl.arange(0, 16)",
    "even": "even = tl.arange(0, 64)",
    "factors": "factors = tl.load(memory + offsets)",
    "flags_ptr": "flags_ptr = memory.to(tl.pointer_type(tl.int32))",
    "high": "high = tl.arange(64, 128)",
    "i": "i = 3",
    "im": "im = tl.arange(0, 64)",
    "index": "index = tl.arange(0, 16)",
    "indices": "indices = tl.arange(0, 16)",
    "inside": "inside = offsets < n",
    "k": "k = tl.load(memory + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])",
    "larger": "@blockdsl.jit\ndef larger(a, b):\n    return tl.maximum(a, b)",
    "lengths": "lengths = tl.arange(0, 16)",
    "lock_ptr": "lock_ptr = memory.to(tl.pointer_type(tl.int32)) + 2048",
    "low": "low = tl.arange(0, 64)",
    "mask": "mask = offsets < n",
    "mine": "mine = 4",
    "n": "n = 16",
    "numerator": "numerator = tl.load(memory + offsets)",
    "odd": "odd = tl.arange(0, 64)",
    "offsets": "offsets = tl.arange(0, 16)",
    "order": "order = 15 - tl.arange(0, 16)",
    "other_rising": "other_rising = tl.arange(0, 8)",
    "p": "p = 0.5",
    "pairs": "pairs = tl.join(re, im)",
    "pid": "pid = tl.program_id(0)",
    "pid_m": "pid_m = tl.program_id(0)",
    "pid_n": "pid_n = tl.program_id(1)",
    "pointers": "pointers = memory + tl.arange(0, 128)",
    "re": "re = tl.arange(0, 64)",
    "ready_ptr": "ready_ptr = memory.to(tl.pointer_type(tl.int32))",
    "rising": "rising = tl.arange(0, 8)",
    "row": "row = tl.program_id(0)",
    "rows": "rows = 4",
    "rows_ptr": "rows_ptr = memory.to(tl.pointer_type(tl.int32)) + 2048",
    "s": "s = 2.0",
    "scores": "scores = tl.load(memory + offsets)",
    "seed": "seed = 42",
    "start": "start = 8",
    "stride": "stride = 32",
    "sums_ptr": "sums_ptr = memory",
    "total": "total = tl.sum(tl.load(memory + offsets))",
    "u1": "u1 = tl.rand(42, offsets)",
    "u2": "u2 = tl.rand(43, offsets)",
    "values": "values = tl.load(memory + offsets)",
    "weight": "weight = tl.load(memory + offsets)",
    "window": "window = 2",
    "x": "x = tl.load(memory + offsets)",
    "x_ptr": "x_ptr = memory",
    "y": "y = tl.load(memory + offsets + 16)",
    "y_ptr": "y_ptr = memory + 64",
    "zeros": "zeros = tl.zeros((16,), tl.int32)",
}
"""Names, and the statements that define them. ``memory`` points to 2048 ones of float32, followed by 2048 zeros."""

_INTEGERS = {name: f"{name} = tl.arange(0, 16)" for name in ("x", "a", "b")}
_COLUMN = {"x": "x = tl.load(memory + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])"}
_BOOLS = {"a": "a = offsets < n", "b": "b = offsets >= 3"}
_WHOLE = {
    "desc": "desc = tl.make_tensor_descriptor(memory.to(tl.pointer_type(tl.int32)), [64, 32], [32, 1], [16, 32])",
    "x": "x = tl.full((16, 32), 1, tl.int32)",
}
_ROWS = {
    "desc": "desc = tl.make_tensor_descriptor(memory, [64, 32], [32, 1], [1, 32])",
    "x": "x = tl.full((32, 32), 1.0, tl.float32)",
}
_WORDS = {name: f"{name} = tl.arange(0, 16).to(tl.uint32)" for name in ("c0", "c1", "c2", "c3", "k0", "k1")}

PARTICULAR: Mapping[str, Mapping[str, str]] = {
    "advance": {"p": "p = tl.make_block_ptr(memory, (64, 64), (64, 1), (0, 0), (16, 32), (1, 0))"},
    "aggregate_replace": {
        "Sums": "@blockdsl.aggregate\nclass Sums:\n    total: tl.tensor",
        "state": "state = Sums(1.0)",
    },
    "condition": {"i": "i = 16"},
    "atomic_poll": {
        "ready_ptr": "ready_ptr = memory.to(tl.pointer_type(tl.int32)) + 2048\ntl.store(ready_ptr + tl.arange(0, 8), 1)"
    },
    "static_range": {"total": "total = 0.0"},
    "tensor_descriptor": {"column": "column = 0"},
    "broadcast": {"row": "row = tl.arange(0, 32)[None, :]"},
    "dot": {
        "a": "a = tl.load(memory + tl.arange(0, 16)[:, None] * 8 + tl.arange(0, 8)[None, :])",
        "b": "b = tl.load(memory + tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :])",
    },
    "dot_scaled": {
        "a": "a = tl.full((16, 32), 34, tl.uint8)",
        "a_scale": "a_scale = tl.full((16, 2), 127, tl.uint8)",
        "b": "b = tl.full((64, 16), 1.0, tl.float32).to(tl.float8e4nv)",
        "b_scale": "b_scale = tl.full((16, 2), 127, tl.uint8)",
    },
    "descriptor_gather": _ROWS,
    "descriptor_scatter": _ROWS,
    "map_elementwise": {name: f"{name} = tl.arange(1, 17)" for name in "ab"},
    "permute": {"x": "x = tl.reshape(tl.arange(0, 16), (2, 2, 4))"},
    "philox_impl": _WORDS,
    "split": {"pairs": "pairs = tl.join(tl.arange(0, 64), tl.arange(0, 64))"},
    "squeeze": {"x": "x = tl.arange(0, 64)[None, :]"},
    "softmax": {"scores": "scores = tl.load(memory + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])"},
    "store_tensor_descriptor": {"x": "x = tl.full((16, 32), 1.0, tl.float32)"},
    **dict.fromkeys(("and_", "inline_asm_elementwise", "or_", "shl", "shr", "umulhi", "xor"), _INTEGERS),
    **dict.fromkeys(("logical_and", "logical_or"), _BOOLS),
    **dict.fromkeys(("argmax", "argmin", "max", "min", "ravel", "reduce", "reshape", "sum", "view"), _COLUMN),
    **{f"descriptor_atomic_{name}": _WHOLE for name in ("add", "and", "max", "min", "or", "xor")},
}
"""Definitions for the example of an op, by the op's name."""


HEAD = """import blockdsl
import blockdsl.language as tl
from blockdsl.language.extern import extern_elementwise
from blockdsl.language.extra import libdevice
"""
"""The beginning of the kernels' files."""

_IMPORTED = ("blockdsl", "tl", "extern_elementwise", "libdevice")


def free(example: str) -> list[str]:
    """Returns the undefined names of an example, in the order of their appearance."""
    known = {*_IMPORTED, "memory", *vars(builtins)}
    found: list[str] = []
    for node in ast.parse(example).body:
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        changed = [each.target for each in ast.walk(node) if isinstance(each, ast.AugAssign)]
        bound = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        for each in names:
            is_read = (isinstance(each.ctx, ast.Load) or each in changed) and each.id not in known | bound
            if is_read and each.id not in found:
                found.append(each.id)
        known |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            known.add(node.name)
    return found


def _of_library(types: str) -> dict[str, str]:
    """Returns arguments of a libdevice function, of the first types in its docstring."""
    given = dict(zip("xyzw", types.split(", "), strict=False))
    return {name: f"{name} = tl.full((16,), 1, tl.{_NAMES[element]})" for name, element in given.items()}


_NAMES = {
    "int32": "int32",
    "uint32": "uint32",
    "int64": "int64",
    "uint64": "uint64",
    "fp32": "float32",
    "fp64": "float64",
}


def kernel(name: str, *parts: tuple[str, str, str]) -> str:
    """Returns a kernel's source that runs examples, each given by its op's name and docstring. Functions precede it.

    Raises KeyError for a name without a definition.
    """
    sources = [source for part in parts for source in _with_definitions(*part)]
    outside: list[str] = []
    lines: list[str] = []
    for source in sources:
        for node in ast.parse(source).body:
            (outside if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else lines).append(ast.unparse(node))
    head = f"@blockdsl.jit\ndef {name}(memory):"
    return "\n\n\n".join([*outside, head + "\n" + textwrap.indent("\n".join(lines or ["pass"]), "    ")])


def _with_definitions(name: str, text: str, example: str) -> list[str]:
    """Returns an example, preceded by the definitions of the names that it reads."""
    types = re.search(r"of types \(([^)]*)\)", text)
    definitions = {**COMMON, **PARTICULAR.get(name, {}), **(_of_library(types[1]) if types else {})}
    statements: list[str] = []

    def add_definition(name_wanted: str) -> None:
        statement = definitions[name_wanted]
        for other in free(statement):
            add_definition(other)
        if statement not in statements:
            statements.append(statement)

    for each in free(example):
        add_definition(each)
    return [*statements, example]
