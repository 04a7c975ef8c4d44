"""Branches: ``if`` statements and conditional expressions. Loops are in loops.py.

A compile-time condition selects one side and emits no code. A runtime condition becomes an ``scf.if``, or a branch
between blocks of the function if a side returns.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..errors import KernelSyntaxError, Loc
from ..language.cast import cast
from ..language.elementwise import not_equal
from ..language.op import OPS
from ..language.tensor import tensor
from ..language.types import int1, int64
from .emitter import Block, Region
from .hints import conversion_hint
from .values import Undefined, describe, expect_same_shape, leaves, materialize, replace_leaves, same
from .visitor import Visitor, statement

Scope = dict[str, Any]
Chained = TypeVar("Chained", ast.If, ast.IfExp)


def condition_of(visitor: Visitor, node: ast.AST, value: Any) -> Any:
    """Returns a condition as an int1 scalar, or as a Python bool if it is a compile-time value."""
    if not isinstance(value, tensor):
        return bool(value)
    if value.shape and value.numel == 1:
        value = visitor.apply(node, OPS["item"], value)
    if value.shape:
        raise KernelSyntaxError(
            f"a condition must be a single value, got a block of type {value.type}",
            location=visitor.source.location(node),
            hint="use tl.where on blocks, or reduce the block first",
        )
    if value.dtype.is_ptr():
        value = visitor.apply(node, cast, value, int64)
    return value if value.dtype == int1 else visitor.apply(node, not_equal, value, 0)


def returns(body: Sequence[ast.stmt]) -> bool:
    """Returns whether one of these statements contains a return from the function."""
    return any(isinstance(node, ast.Return) for each in body for node in ast.walk(each))


@statement(ast.If)
def _if(visitor: Visitor, node: ast.If) -> None:
    chain = _links(node)
    opened: list[OpenIf | OpenBranch] = []
    rest = chain[-1].orelse
    for link, jumps in zip(chain, _jumps(visitor, chain), strict=True):
        with Loc(visitor.source.location(link)):
            condition = condition_of(visitor, link.test, visitor.visit(link.test))
            if condition is True:
                rest = link.body
                break
            if isinstance(condition, tensor):
                walk = functools.partial(visitor.visit_body, link.body)
                opened.append((OpenBranch if jumps else OpenIf)(visitor, link, condition, walk))
    visitor.visit_body(rest)
    for one in reversed(opened):
        with Loc(visitor.source.location(one.node)):
            one.close_branch() if isinstance(one, OpenBranch) else _close_statement(one)


def _links(node: Chained) -> list[Chained]:
    """Returns an if and its elifs. Python nests each in the else of the previous one; as a list they are visited
    without recursion, so that hundreds of them need no stack."""
    chain = [node]
    while True:
        rest: Any = chain[-1].orelse
        following = rest[0] if isinstance(rest, list) and len(rest) == 1 else rest
        if not isinstance(following, type(node)):
            return chain
        chain.append(following)


def _jumps(visitor: Visitor, chain: list[ast.If]) -> list[bool]:
    """Returns for an if and each of its elifs whether it becomes a branch, because it or a later one returns."""
    found = not visitor.depth and returns(chain[-1].orelse)
    jumps: list[bool] = []
    for link in reversed(chain):
        found = found or (not visitor.depth and returns(link.body))
        jumps.insert(0, found)
    return jumps


class OpenIf:
    """An if whose first side has been visited, and whose second side is being visited."""

    def __init__(self, visitor: Visitor, node: ast.AST, condition: tensor, walk: Callable[[], Any]) -> None:
        emitter = visitor.emitter
        self.visitor, self.node, self.condition = visitor, node, condition
        self.first = _side(visitor, walk)
        self.before, self.block = visitor.scope, emitter.current
        self.region = emitter.builder.create_region()
        self.entry = emitter.builder.append_block(self.region, [])
        emitter.enter(self.entry)
        visitor.scope, visitor.depth = dict(self.before), visitor.depth + 1

    def sides(self) -> list[Side]:
        """Returns both sides, and continues after the if."""
        second = (self.region, self.entry, self.visitor.scope)
        self.visitor.scope, self.visitor.depth = self.before, self.visitor.depth - 1
        self.visitor.emitter.enter(self.block)
        return [self.first, second]


def _close_statement(opened: OpenIf) -> None:
    visitor, node = opened.visitor, opened.node
    sides = opened.sides()
    before = visitor.scope
    names = _merged_names(before, [scope for _, _, scope in sides], _line(visitor, node))
    yields = _finish(visitor, node, names, sides)
    visitor.scope = dict(before)
    results = _emit_if(visitor, node, opened.condition, sides, yields)
    _take_results(visitor, names, results)


def _line(visitor: Visitor, node: ast.AST) -> int:
    return visitor.source.location(node).line


Side = tuple[Region, Block, Scope]


def _side(visitor: Visitor, body: Callable[[], Any]) -> Side:
    """Visits one side of an if in a new region, with a copy of the scope."""
    emitter, before = visitor.emitter, visitor.scope
    region = emitter.builder.create_region()
    entry = emitter.builder.append_block(region, [])
    visitor.scope, visitor.depth = dict(before), visitor.depth + 1
    try:
        with emitter.at(entry):
            body()
        return region, entry, visitor.scope
    finally:
        visitor.scope, visitor.depth = before, visitor.depth - 1


class Merge:
    """A name with different values at the ends of two sides."""

    def __init__(self, name: str, values: list[Any]) -> None:
        self.name = name
        self.values = values


def _merged_names(before: Scope, scopes: list[Scope], line: int) -> dict[str, Merge | Undefined]:
    """Returns for each name that a side changes whether it is merged or undefined afterwards."""
    first, second = scopes
    merged: dict[str, Merge | Undefined] = {}
    for name in {**before, **first, **second}:
        if name not in first or name not in second:
            merged[name] = Undefined(f"defined on one side of the 'if' in line {line} only")
            continue
        values = [first[name], second[name]]
        if name in before and all(same(before[name], value) for value in values):
            continue
        undefined = next((value for value in values if isinstance(value, Undefined)), None)
        merged[name] = undefined or Merge(name, values)
    return merged


def _finish(
    visitor: Visitor, node: ast.AST, names: dict[str, Merge | Undefined], sides: list[Side]
) -> list[list[tensor]]:
    """Returns the values that each side yields, with numbers materialized there. Names that cannot be merged become
    undefined."""
    yields: list[list[tensor]] = [[] for _ in sides]
    for name, merge in list(names.items()):
        if isinstance(merge, Undefined):
            continue
        if same(*merge.values):
            continue
        if not _mergeable(merge.values):
            names[name] = Undefined(
                f"two different compile-time values after the 'if' in line {_line(visitor, node)}: "
                f"{describe(merge.values[0])} and {describe(merge.values[1])}"
            )
            continue
        for at, (_, block, _) in enumerate(sides):
            with visitor.emitter.at(block):
                visitor.at(node)
                merge.values[at] = materialize(merge.values[at], visitor.emitter.constant)
        first, second = merge.values
        bodies = [node.body, node.orelse] if isinstance(node, ast.If) else [[], []]
        hint = functools.partial(conversion_hint, visitor, name, list(zip(merge.values, bodies, strict=True)), node)
        expect_same_shape(name, first, second, ("after 'if'", "after 'else'"), hint)
        for at, value in enumerate(merge.values):
            yields[at] += leaves(value)
    return yields


def _mergeable(values: list[Any]) -> bool:
    """Returns whether two values can be merged. Numbers can become tensors; other Python objects must be equal."""
    a, b = values
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) or _mergeable([x, y]) for x, y in zip(a, b, strict=True))
    plain = (bool, int, float, tensor)
    return isinstance(a, plain) and isinstance(b, plain)


def _emit_if(
    visitor: Visitor, node: ast.AST, condition: tensor, sides: list[Side], yields: list[list[tensor]]
) -> list[tensor]:
    """Emits the op and its yields. Returns its results."""
    emitter = visitor.emitter
    for (_, block, _), values in zip(sides, yields, strict=True):
        with emitter.at(block):
            visitor.at(node)
            emitter.create("scf.yield", *values, result=())
    visitor.at(node)
    types = [value.type for value in yields[0]]
    made = emitter.create("scf.if", condition, result=types, regions=[region for region, _, _ in sides])
    return [] if made is None else list(made) if isinstance(made, tuple) else [made]


def _take_results(visitor: Visitor, names: dict[str, Merge | Undefined], results: list[tensor]) -> None:
    """Assigns the results to the merged names, in place of their tensors."""
    stream = iter(results)
    for name, merge in names.items():
        if isinstance(merge, Undefined):
            visitor.scope[name] = merge
        elif same(*merge.values):
            visitor.scope[name] = merge.values[0]
        else:
            visitor.scope[name] = replace_leaves(merge.values[0], stream)


def visit_conditional(visitor: Visitor, node: ast.IfExp) -> Any:
    """Returns the value of ``a if condition else b``."""
    chain = _links(node)
    opened: list[tuple[OpenIf, list[Any]]] = []
    rest = chain[-1].orelse
    for link in chain:
        with Loc(visitor.source.location(link)):
            condition = condition_of(visitor, link.test, visitor.visit(link.test))
            if condition is True:
                rest = link.body
                break
            if isinstance(condition, tensor):
                values: list[Any] = []
                walk = functools.partial(_keep, visitor, link.body, values)
                opened.append((OpenIf(visitor, link, condition, walk), values))
    value = visitor.visit(rest)
    for one, values in reversed(opened):
        with Loc(visitor.source.location(one.node)):
            value = _close_expression(one, [*values, value])
    return value


def _keep(visitor: Visitor, node: ast.expr, values: list[Any]) -> None:
    values.append(visitor.visit(node))


def _close_expression(opened: OpenIf, values: list[Any]) -> Any:
    visitor, node = opened.visitor, opened.node
    outcome = "the value of the conditional expression"
    sides = opened.sides()
    # A side may assign to names with `:=`.
    names = _merged_names(visitor.scope, [scope for _, _, scope in sides], _line(visitor, node))
    names[outcome] = Merge(outcome, values)
    yields = _finish(visitor, node, names, sides)
    visitor.scope = dict(opened.before)
    merge = names[outcome]
    if isinstance(merge, Undefined):
        raise KernelSyntaxError(f"{outcome} is {merge.reason}", hint="both sides must be numbers or blocks")
    _take_results(visitor, names, _emit_if(visitor, node, opened.condition, sides, yields))
    return visitor.scope.pop(outcome)


class OpenBranch:
    """An if with a return, which becomes a branch between blocks. Its first side has been visited, and its second side
    is being visited."""

    def __init__(self, visitor: Visitor, node: ast.AST, condition: tensor, walk: Callable[[], Any]) -> None:
        emitter = visitor.emitter
        self.visitor, self.node, self.before = visitor, node, visitor.scope
        self.ends: list[tuple[Block, Scope]] = []
        visitor.at(node)
        visitor.jumped = True
        first, second = emitter.new_block(), emitter.new_block()
        emitter.jump("cf.cond_br", [condition], [first, second], "array<i32: 1, 0, 0>")
        self._enter(first)
        walk()
        self._leave()
        self._enter(second)

    def _enter(self, block: Block) -> None:
        self.visitor.emitter.enter(block)
        self.visitor.scope, self.visitor.ended = dict(self.before), False

    def _leave(self) -> None:
        if not self.visitor.ended:
            self.ends.append((self.visitor.emitter.current, self.visitor.scope))

    def close_branch(self) -> None:
        """Continues after the if, where the sides that do not return meet."""
        self._leave()
        visitor = self.visitor
        visitor.ended = not self.ends
        if len(self.ends) == 1:
            # The other side returns, so the rest of the function is appended to this one.
            block, visitor.scope = self.ends[0]
            visitor.emitter.enter(block)
        elif self.ends:
            _join(visitor, self.node, self.before, self.ends)


def _join(visitor: Visitor, node: ast.AST, before: Scope, ends: list[tuple[Block, Scope]]) -> None:
    """Continues in a block that both sides branch to, with an argument for each value that a side changes."""
    emitter = visitor.emitter
    names = _merged_names(before, [scope for _, scope in ends], _line(visitor, node))
    sides: list[Any] = [(None, block, scope) for block, scope in ends]
    passed = _finish(visitor, node, names, sides)
    joined = emitter.new_block([value.type for value in passed[0]])
    for (block, _), values in zip(ends, passed, strict=True):
        with emitter.at(block):
            visitor.at(node)
            emitter.jump("cf.br", values, [joined])
    emitter.enter(joined)
    arguments = [tensor(value, original.type) for value, original in zip(joined.arguments, passed[0], strict=True)]
    visitor.scope = dict(before)
    _take_results(visitor, names, arguments)
