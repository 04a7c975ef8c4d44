"""Operators between numbers that are known while a kernel is compiled.

Between Python's own numbers they are Python's, which makes ``-7 // 2`` -4. Where one is held by a name they are those
of scalars: an int32 wraps, and ``//`` rounds toward zero.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .evaluation import Evaluation
from .op import OPS
from .scalars import ScalarBool, ScalarInt, ScalarNumber, literal_type, plain, scalar
from .types import dtype, int32

KNOWN: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
"""Python's operators, by their names in the module ``operator``."""

# Python's operator, and the op that a kernel has for it; without one it is always Python's.
OPERATORS: dict[str, str] = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod",
    "and_": "and_", "or_": "or_", "xor": "xor", "lshift": "shl", "rshift": "shr", "lt": "less_than",
    "le": "less_equal", "gt": "greater_than", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
    "neg": "neg", "pos": "pos", "invert": "invert", "pow": "",
}  # fmt: skip

# What most kernels compute of such numbers, without asking NumPy.
_EXACT: dict[str, Callable[[int, int], int]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
_COMPARED = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
_EVALUATION = Evaluation()


def fold(name: str, *operands: Any) -> Any:
    """What an operator of Python's gives, by its name in Python's module ``operator``."""
    op = OPERATORS[name]
    if op and any(isinstance(each, ScalarNumber) for each in operands) and all(map(_is_number, operands)):
        return _quick(name, *operands) if len(operands) == 2 else fold_op(op, *operands)
    return getattr(operator, name)(*operands)


def fold_op(op: str, *operands: Any) -> Any:
    """What an op gives of numbers, as a name would hold it."""
    # Their texts tell zeros of different signs apart.
    return _evaluated(op, *((type(each), literal_type(each), plain(each), repr(each)) for each in operands))


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def _quick(name: str, left: Any, right: Any) -> Any:
    """The common case, two small integers, one of them held by a name."""
    if all(_is_small(each) for each in (left, right)):
        if name in _COMPARED:
            return ScalarBool(_COMPARED[name](int(left), int(right)))
        if name in _EXACT:
            found = _EXACT[name](int(left), int(right))
            if -(2**31) <= found < 2**31:
                return ScalarInt(found, int32)
    return fold_op(OPERATORS[name], left, right)


def _is_small(value: Any) -> bool:
    return (type(value) is int and -(2**31) <= value < 2**31) or (type(value) is ScalarInt and value.type == int32)


@functools.lru_cache(4096)
def _evaluated(op: str, *operands: tuple[type, dtype, Any, str]) -> Any:
    values = [scalar(value, kind) if issubclass(origin, ScalarNumber) else value for origin, kind, value, _ in operands]
    with np.errstate(all="ignore"):
        result = _EVALUATION.run(OPS[op], values, {})
    return scalar(result.handle.item(), result.dtype)


def is_constexpr(annotation: ast.expr) -> bool:
    """Is it ``tl.constexpr``? What a name that is annotated so is given stays a number of Python's."""
    return getattr(annotation, "attr", getattr(annotation, "id", None)) == "constexpr"


def returned(function: ast.FunctionDef) -> list[ast.expr]:
    """What a function returns, wherever it does."""
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]


def is_one_constant(nodes: Sequence[ast.expr]) -> bool:
    """Are all of them the same constant? What every return gives so stays a number of Python's."""
    return all(isinstance(node, ast.Constant) for node in nodes) and len({ast.dump(node) for node in nodes}) == 1
