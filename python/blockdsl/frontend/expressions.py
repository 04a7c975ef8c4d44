"""Handlers of expressions other than calls."""

from __future__ import annotations

import ast
import builtins
import enum
import operator
from collections.abc import Callable
from inspect import isfunction
from types import ModuleType
from typing import Any

from ..errors import KernelSyntaxError, TypeMismatchError
from ..language.constexpr import ConstexprFunction, constexpr, not_constant, unwrapped
from ..language.folding import KNOWN, fold
from ..language.logic import logical_and, logical_or
from ..language.op import OPS, LibraryFunction, Op
from ..language.scalars import held
from ..language.suggestions import type_instead, undefined_instead
from ..language.tensor import tensor
from ..language.types import Type
from .assignment import assign
from .control_flow import visit_conditional
from .hints import element, extent_hint, index_hint
from .source import MISSING, source_of
from .values import Undefined, is_object, is_sequence
from .visitor import Visitor, expression, unsupported

# Operators on compile-time values that folding.py delegates to Python.
_PLAIN: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Not: operator.not_, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda item, sequence: item in sequence, ast.NotIn: lambda item, sequence: item not in sequence,
}  # fmt: skip

_OPS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "shr", ast.USub: "neg",
    ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "logical_not", ast.Eq: "equal", ast.NotEq: "not_equal",
    ast.Lt: "less_than", ast.LtE: "less_equal", ast.Gt: "greater_than", ast.GtE: "greater_equal",
}  # fmt: skip

_NO_OP: dict[type[ast.AST], tuple[str, str]] = {
    ast.Pow: ("'**' on blocks", "write x * x, or use libdevice.pow"),
    ast.MatMult: ("'@'", "use tl.dot(a, b)"),
    ast.In: ("'in' on blocks", "compare with == and reduce"),
    ast.NotIn: ("'not in' on blocks", "compare with != and reduce"),
}


@expression(ast.Constant)
def _constant(visitor: Visitor, node: ast.Constant) -> Any:
    if isinstance(node.value, (bytes, complex)):
        raise unsupported(node, f"a {type(node.value).__name__} literal")
    return node.value


@expression(ast.Name)
def _name(visitor: Visitor, node: ast.Name) -> Any:
    if node.id in visitor.scope:
        value = visitor.scope[node.id]
        if isinstance(value, Undefined):
            raise KernelSyntaxError(f"'{node.id}' is {value.reason}", hint=value.hint)
        return value
    value = visitor.source.lookup(node.id)
    if value is MISSING:
        raise KernelSyntaxError(f"'{node.id}' is not defined", hint=_similar(visitor, node.id))
    return from_outside(node.id, value, is_enclosed=node.id in visitor.source.closure)


def _similar(visitor: Visitor, name: str) -> str | None:
    import difflib

    suggestion = undefined_instead(name)
    if suggestion is not None:
        return suggestion
    known = [*visitor.scope, *visitor.source.closure, *visitor.source.function.__globals__]
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean '{close[0]}'?" if close else None


_BUILTINS = ("float", "getattr", "hasattr", "int", "isinstance", "len", "list", "max", "min", "print", "range", "tuple",
             "bool", "str", "enumerate", "zip")  # fmt: skip


def from_outside(name: str, value: Any, *, is_enclosed: bool = False) -> Any:
    """Returns a global or a variable of an enclosing function, if a kernel may read it; else raises an error."""
    if isinstance(value, constexpr):
        return ConstexprFunction(value.value) if isfunction(value.value) else value.value
    allowed = (ModuleType, Type, Op, LibraryFunction, ConstexprFunction, type, enum.Enum)
    if isinstance(value, allowed) or source_of(value) is not None or value is None:
        return value
    if callable(value):
        if getattr(builtins, name, None) is value and name in _BUILTINS:
            return value
        return value  # The error is raised at the call.
    if is_sequence(value) and all(isinstance(each, constexpr) for each in value):
        return unwrapped(value)
    raise not_constant(name, value, is_enclosed=is_enclosed)


def binary(visitor: Visitor, node: ast.AST, kind: type[ast.AST], left: Any, right: Any) -> Any:
    """Applies a binary operator."""
    if isinstance(left, tensor) or isinstance(right, tensor):
        if kind in (ast.Is, ast.IsNot):
            return _PLAIN[kind](left, right)
        if kind in _NO_OP:
            construct, hint = _NO_OP[kind]
            raise KernelSyntaxError(f"{construct} is not part of the kernel language", hint=hint)
        return visitor.apply(node, OPS[_OPS[kind]], left, right)
    if kind in (ast.Eq, ast.NotEq):
        _expect_comparable(left, right)
    for operand in (left, right):
        if is_object(operand) and kind not in (ast.Is, ast.IsNot):
            raise TypeMismatchError(
                f"an operator expects numbers and blocks, got {operand.type}", hint="load a block: desc.load([0, 0])"
            )
    if kind is ast.MatMult:
        raise KernelSyntaxError("'@' is not part of the kernel language", hint="use tl.dot(a, b)")
    if kind is ast.Add and isinstance(left, tuple) and isinstance(right, list):
        right = tuple(right)
    try:
        return fold(KNOWN[kind], left, right) if kind in KNOWN else _PLAIN[kind](left, right)
    except ZeroDivisionError:
        raise TypeMismatchError(f"a compile-time division by zero: {left!r} by {right!r}") from None
    except TypeError as error:
        raise TypeMismatchError(f"compile-time values do not combine: {error}") from None


def _expect_comparable(left: Any, right: Any) -> None:
    """Raises TypeMismatchError for a type that is compared with torch's or NumPy's, to which it is never equal."""
    for one, other in ((left, right), (right, left)):
        name = type(other).__name__ if not isinstance(other, type) else "dtype"
        if isinstance(one, Type) and not isinstance(other, Type) and "dtype" in name.lower():
            raise TypeMismatchError(
                f"types of the language are compared with each other, got {other!r}", hint=type_instead(other)
            )


@expression(ast.BinOp)
def _binary(visitor: Visitor, node: ast.BinOp, left: Any) -> Any:
    return binary(visitor, node, type(node.op), left, visitor.visit(node.right))


@expression(ast.UnaryOp)
def _unary(visitor: Visitor, node: ast.UnaryOp, value: Any) -> Any:
    if isinstance(value, tensor):
        return visitor.apply(node, OPS[_OPS[type(node.op)]], value)
    kind = type(node.op)
    try:
        return fold(KNOWN[kind], value) if kind in KNOWN else _PLAIN[kind](value)
    except TypeError as error:
        raise TypeMismatchError(f"a compile-time value does not fit: {error}") from None


@expression(ast.Compare)
def _compare(visitor: Visitor, node: ast.Compare, left: Any) -> Any:
    result: Any = None
    for kind, operand in zip(node.ops, node.comparators, strict=True):
        right = visitor.visit(operand)
        one = binary(visitor, node, type(kind), left, right)
        result = one if result is None else _logical(visitor, node, ast.And, [result, one])
        if not isinstance(result, tensor) and not result:
            return result
        left = right
    return result


@expression(ast.BoolOp)
def _bool_op(visitor: Visitor, node: ast.BoolOp) -> Any:
    values: list[Any] = []
    last: Any = None
    for operand in node.values:
        value = visitor.visit(operand)
        if not isinstance(value, tensor):
            if bool(value) is isinstance(node.op, ast.Or):
                # The value decides the result, so the following operands are not visited.
                return value if not values else _logical(visitor, node, type(node.op), [*values, bool(value)])
            last = value
            continue
        values.append(value)
    return _logical(visitor, node, type(node.op), values) if values else last


def _logical(visitor: Visitor, node: ast.AST, kind: type[ast.AST], values: list[Any]) -> Any:
    """Applies ``and`` or ``or`` to tensors. Compile-time values decide the result or are dropped."""
    decisive = kind is ast.Or
    if any(not isinstance(value, tensor) and bool(value) is decisive for value in values):
        return decisive
    left = [value for value in values if isinstance(value, tensor)]
    if not left:
        return not decisive
    op = logical_and if kind is ast.And else logical_or
    result = left.pop()
    while left:
        result = visitor.apply(node, op, left.pop(), result)
    return result


@expression(ast.IfExp)
def _if_expression(visitor: Visitor, node: ast.IfExp) -> Any:
    return visit_conditional(visitor, node)


@expression(ast.Tuple)
def _tuple(visitor: Visitor, node: ast.Tuple) -> Any:
    return tuple(_items(visitor, node.elts))


@expression(ast.List)
def _list(visitor: Visitor, node: ast.List) -> Any:
    return _items(visitor, node.elts)


def _items(visitor: Visitor, nodes: list[ast.expr]) -> list[Any]:
    items: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            items.extend(visitor.visit(node.value))
        else:
            items.append(visitor.visit(node))
    return items


@expression(ast.ListComp)
def _comprehension(visitor: Visitor, node: ast.ListComp) -> Any:
    if len(node.generators) != 1:
        raise KernelSyntaxError("a list comprehension with one 'for' is expected, got several")
    generator = node.generators[0]
    sequence = visitor.visit(generator.iter)
    if isinstance(sequence, tensor) or not hasattr(sequence, "__iter__"):
        raise KernelSyntaxError(
            f"a list comprehension runs over compile-time sequences, got {getattr(sequence, 'type', sequence)}",
            hint="use tl.static_range or a tuple",
        )
    outer, items = dict(visitor.scope), []
    for item in sequence:
        assign(visitor, generator.target, item)
        if all(visitor.visit(condition) for condition in generator.ifs):
            items.append(visitor.visit(node.elt))
    visitor.scope = outer
    return items


@expression(ast.Subscript)
def _subscript(visitor: Visitor, node: ast.Subscript, owner: Any) -> Any:
    key = visitor.visit(node.slice)
    if isinstance(owner, tensor) and owner.dtype.is_ptr() and not owner.shape:
        raise TypeMismatchError(
            f"a pointer has no elements to index, got {ast.unparse(node)}",
            hint=f"write tl.load({element(node.value, node.slice)})",
        )
    if isinstance(owner, tensor):
        try:
            return visitor.apply(node, OPS["subscript"], owner, key)
        except TypeMismatchError as error:
            error.hint = index_hint(owner, key, node) or error.hint
            raise
    if isinstance(key, tensor):
        raise KernelSyntaxError(
            f"a compile-time index is expected, got a value of type {key.type}",
            hint="loop with tl.static_range, or choose with tl.where",
        )
    try:
        return owner[key]
    except (TypeError, IndexError, KeyError) as error:
        raise TypeMismatchError(
            f"{owner!r} cannot be indexed with {key!r}: {error}", hint=extent_hint(owner, node)
        ) from None


@expression(ast.Slice)
def _slice(visitor: Visitor, node: ast.Slice) -> Any:
    return slice(*(None if part is None else visitor.visit(part) for part in (node.lower, node.upper, node.step)))


@expression(ast.NamedExpr)
def _named(visitor: Visitor, node: ast.NamedExpr) -> Any:
    visitor.scope[node.target.id] = value = held(visitor.visit(node.value))
    return value


@expression(ast.JoinedStr)
def _f_string(visitor: Visitor, node: ast.JoinedStr) -> str:
    return "".join(str(visitor.visit(part)) for part in node.values)


@expression(ast.FormattedValue)
def _formatted(visitor: Visitor, node: ast.FormattedValue) -> str:
    value = visitor.visit(node.value)
    if isinstance(value, tensor):
        raise KernelSyntaxError(
            f"an f-string holds compile-time values, got a value of type {value.type}",
            hint="print it with tl.device_print",
        )
    value = {-1: value, 115: str(value), 114: repr(value), 97: ascii(value)}[node.conversion]
    return format(value, visitor.visit(node.format_spec) if node.format_spec else "")
