"""Handlers of statements that do not branch."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import KernelSyntaxError, KernelWarning, TypeMismatchError
from ..language.debug import device_assert, static_assert
from ..language.folding import is_constexpr, is_one_constant, returned
from ..language.scalars import held, literal_type
from ..language.tensor import tensor
from .assignment import assign, element_assigned
from .expressions import binary
from .hints import assignment_hint, with_load
from .values import describe, is_number, is_runtime, is_sequence, leaves, materialize, rebuild, shape_of
from .visitor import Visitor, statement


@statement(ast.Assign)
def _assign(visitor: Visitor, node: ast.Assign) -> None:
    value = visitor.visit(node.value)
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            raise element_assigned(assignment_hint(visitor, target, ast.unparse(node.value)))
        if not (isinstance(target, ast.Name) and target.id in visitor.constants):
            value = held(value)
        assign(visitor, target, value)


@statement(ast.AnnAssign)
def _annotated(visitor: Visitor, node: ast.AnnAssign) -> None:
    if node.value is None:
        if isinstance(node.target, ast.Name) and is_constexpr(node.annotation):
            visitor.constants.add(node.target.id)
        return
    value = visitor.visit(node.value)
    if is_constexpr(node.annotation) and is_runtime(value):
        _warn_of_runtime_value(visitor, node, value)
    # As in Triton, a name that is annotated as tl.constexpr may hold a runtime value.
    assign(visitor, node.target, value if is_constexpr(node.annotation) else held(value))


def _warn_of_runtime_value(visitor: Visitor, node: ast.AnnAssign, value: Any) -> None:
    name, line = ast.unparse(node.target), visitor.source.location(node).line
    warnings.warn_explicit(
        f"'{name}' is annotated as tl.constexpr, and its value of type {describe(value)} is known at run time only: "
        "leave the annotation out",
        KernelWarning,
        visitor.source.file,
        line,
        # A loop's body is visited several times.
        registry=visitor.source.function.__globals__.setdefault("__warningregistry__", {}),
    )


@statement(ast.AugAssign)
def _augmented(visitor: Visitor, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Subscript):
        text = with_load(node.target, node.op, node.value)
        raise element_assigned(assignment_hint(visitor, node.target, text))
    if not isinstance(node.target, ast.Name):
        assign(visitor, node.target, None)
        return
    name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
    left, right = visitor.visit(name), visitor.visit(node.value)
    visitor.scope[node.target.id] = held(binary(visitor, node, type(node.op), left, right))


@statement(ast.Expr)
def _expression(visitor: Visitor, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        visitor.alone = node.value
        visitor.visit(node.value)


@statement(ast.Pass)
def _pass(visitor: Visitor, node: ast.Pass) -> None:
    pass


@statement(ast.Assert)
def _assert(visitor: Visitor, node: ast.Assert) -> None:
    condition = visitor.visit(node.test)
    message = "" if node.msg is None else visitor.visit(node.msg)
    if not isinstance(condition, tensor) and visitor.kernel and not visitor.depth and not visitor.jumped:
        visitor.apply(node, static_assert, condition, message)
    elif isinstance(condition, tensor) or not condition:
        # A false condition may be in code that no program reaches.
        visitor.apply(node, device_assert, condition if isinstance(condition, tensor) else False, message)


@statement(ast.Return)
def _return(visitor: Visitor, node: ast.Return) -> None:
    if visitor.depth:
        raise KernelSyntaxError(
            "'return' inside a loop, or under an 'if' inside one, is not part of the kernel language",
            hint="keep the result in a name and return it after the loop",
        )
    value = None if node.value is None else visitor.visit(node.value)
    visitor.at(node)
    if visitor.jumped:
        value = _in_common(visitor, value, returned(visitor.source.tree))
    if visitor.kernel:
        if value is not None:
            raise KernelSyntaxError("a kernel returns nothing, got a value", hint="write results with tl.store")
    elif visitor.result is not None:
        value = _agree(visitor, visitor.result[0], value)
    visitor.result = (value,) if visitor.result is None else visitor.result
    visitor.emitter.create("tt.return", *leaves(value), result=())
    visitor.ended = True


def _in_common(visitor: Visitor, value: Any, nodes: Sequence[ast.expr]) -> Any:
    """Returns a function's result with numbers materialized, unless every return has the same constant there."""
    if is_sequence(value):
        if all(isinstance(node, ast.Tuple) and len(node.elts) == len(value) for node in nodes):
            parts = zip(*(node.elts for node in nodes if isinstance(node, ast.Tuple)), strict=True)
            return rebuild(value, [_in_common(visitor, *each) for each in zip(value, map(list, parts), strict=True)])
        return materialize(value, visitor.emitter.constant)
    if is_one_constant(nodes):
        return value
    return materialize(value, visitor.emitter.constant)


def _agree(visitor: Visitor, first: Any, value: Any) -> Any:
    """Returns the value of a further return, which must have the types of the first one."""
    if shape_of(first) == shape_of(value):
        return value
    numbers = materialize(value, visitor.emitter.constant)
    if shape_of(first) == shape_of(numbers):
        return numbers
    expected, got = _describe(first), _describe(value)
    raise TypeMismatchError(
        f"a function returns values of one type, got {expected} first and {got} here",
        hint="convert one with .to(...)",
    )


def _describe(value: Any) -> str:
    if is_sequence(value):
        return "(" + ", ".join(map(_describe, value)) + ")"
    return str(value.type) if isinstance(value, tensor) else str(literal_type(value) if is_number(value) else value)
