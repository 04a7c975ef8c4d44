"""Constant folding of operators between compile-time numbers.

Between Python's own numbers they have Python's semantics, in which ``-7 // 2`` is -4. If one is a scalar number, which
assignment to a name makes, they have the semantics of scalars: an int32 wraps, and ``//`` rounds toward zero.
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

# The op of the language for each of Python's operators; empty if it always has Python's semantics.
OPERATORS: dict[str, str] = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "truediv", "floordiv": "floordiv", "mod": "mod",
    "and_": "and_", "or_": "or_", "xor": "xor", "lshift": "shl", "rshift": "shr", "lt": "less_than",
    "le": "less_equal", "gt": "greater_than", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
    "neg": "neg", "pos": "pos", "invert": "invert", "pow": "",
}  # fmt: skip

# Exact operators on small integers, evaluated without NumPy.
_EXACT: dict[str, Callable[[int, int], int]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
_COMPARED = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
_EVALUATION = Evaluation()


def fold(name: str, *operands: Any) -> Any:
    """Returns the result of an operator, given by its name in Python's module ``operator``."""
    op = OPERATORS[name]
    if op and any(isinstance(each, ScalarNumber) for each in operands) and all(map(_is_number, operands)):
        return _quick(name, *operands) if len(operands) == 2 else fold_op(op, *operands)
    return getattr(operator, name)(*operands)


def fold_op(op: str, *operands: Any) -> Any:
    """Returns the result of an op on numbers as a scalar number."""
    # The reprs distinguish zeros of different signs in the cache.
    return _evaluated(op, *((type(each), literal_type(each), plain(each), repr(each)) for each in operands))


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def _quick(name: str, left: Any, right: Any) -> Any:
    """Evaluates operators on two small integers without NumPy, and others with ``fold_op``."""
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
    """Returns whether an annotation is ``tl.constexpr``. Values of names with it remain Python numbers."""
    return getattr(annotation, "attr", getattr(annotation, "id", None)) == "constexpr"


def returned(function: ast.FunctionDef) -> list[ast.expr]:
    """Returns the expressions of all returns of a function."""
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]


def is_one_constant(nodes: Sequence[ast.expr]) -> bool:
    """Returns whether all expressions are the same constant. If all returns are, the result remains a Python number."""
    return all(isinstance(node, ast.Constant) for node in nodes) and len({ast.dump(node) for node in nodes}) == 1
