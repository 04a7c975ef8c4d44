"""Loops. Names that the body changes are loop-carried.

They are known only after the body is visited, because compile-time branches omit statements. So the body is visited
with a guess, the names that it assigns; if the guess is wrong, the result is discarded and the body visited again.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import KernelSyntaxError, Loc, TypeMismatchError
from ..language.cast import cast
from ..language.program import builtin_range, condition, static_range
from ..language.program import range as tl_range
from ..language.promotion import integer_promote
from ..language.scalars import literal_type
from ..language.tensor import tensor
from ..language.types import Type, dtype, int1
from .assignment import assign
from .control_flow import condition_of
from .emitter import Block, Region
from .hints import argument_hint, conversion_hint
from .values import (
    Undefined,
    describe,
    expect_same_shape,
    is_number,
    is_sequence,
    leaves,
    materialize,
    replace_leaves,
    same,
)
from .visitor import Visitor, statement

Scope = dict[str, Any]

_NO_LICM = "#llvm.loop_annotation<licm = <disable = true, versioningDisable = true>>"


def _assigned(body: Sequence[ast.AST]) -> set[str]:
    """Returns the names that statements or a condition may assign."""
    stores = (node for each in body for node in ast.walk(each) if isinstance(node, ast.Name))
    return {node.id for node in stores if isinstance(node.ctx, ast.Store)}


def _carriable(value: Any) -> bool:
    """Returns whether a value can change at run time. A function, a dtype or None cannot; a tuple may contain them."""
    if is_sequence(value):
        return not value or any(_carriable(item) for item in value)
    return isinstance(value, tensor) or is_number(value)


class Attempt:
    """The initial values of the loop-carried names for one visit of the body."""

    def __init__(self, visitor: Visitor, node: ast.AST, names: list[str]) -> None:
        visitor.at(node)
        self.initial = {name: materialize(visitor.scope[name], visitor.emitter.constant) for name in names}
        self.types = [value.type for value in leaves(tuple(self.initial.values()))]

    def inside(self, arguments: list[tensor]) -> Scope:
        """Returns the carried names with a block's arguments as their values."""
        stream = iter(arguments)
        return {name: replace_leaves(value, stream) for name, value in self.initial.items()}

    def finish(self, visitor: Visitor, node: ast.AST, scope: Scope) -> list[tensor]:
        """Returns the tensors at the end of the body, after checking their types against those before the loop."""
        visitor.at(node)
        final: list[tensor] = []
        for name, before in self.initial.items():
            after = materialize(scope[name], visitor.emitter.constant)
            if isinstance(after, Undefined):
                raise KernelSyntaxError(f"'{name}' is {after.reason}", hint="give it a value on every way")
            sides = [(before, []), (after, getattr(node, "body", []))]
            hint = functools.partial(conversion_hint, visitor, name, sides, node)
            expect_same_shape(name, before, after, ("before the loop", "after an iteration"), hint)
            final += leaves(after)
        return final


def _changed(before: Scope, start: Scope, end: Scope, skip: set[str]) -> list[str]:
    """Returns the names that the body changes. Names without a value before the loop are local to the body."""
    return [
        name
        for name in before
        if name not in skip
        and not isinstance(before[name], Undefined)
        and not same(start.get(name, before[name]), end[name])
    ]


def _guess(scope: Scope, names: set[str]) -> list[str]:
    return [name for name, value in scope.items() if name in names and _carriable(value)]


def _settle(visitor: Visitor, body: Sequence[ast.AST], skip: set[str], walk: Any) -> Any:
    """Visits the body repeatedly until the carried names are those that it changes."""
    before = visitor.scope
    names = _guess({name: value for name, value in before.items() if name not in skip}, _assigned(body))
    for _ in range(len(before) + 2):
        notes = len(visitor.emitter.notes)
        attempt, made, start, end = walk(names)
        visitor.scope = before
        changed = _changed(before, start, end, skip)
        for name in changed:
            if not _carriable(before[name]):
                raise TypeMismatchError(
                    f"'{name}' changes in a loop but cannot at run time: it is {describe(before[name])}",
                    hint="unroll with tl.static_range, or use another name",
                )
        if set(changed) == set(names):
            return attempt, made, end
        # A name that changes stays carried, so this terminates.
        names = [name for name in before if name in changed]
        del visitor.emitter.notes[notes:]
    raise AssertionError("the carried names of a loop did not settle")


def _walk_body(visitor: Visitor, body: list[ast.stmt], scope: Scope) -> tuple[Scope, Scope]:
    """Visits a body. Returns the scopes at its start and at its end."""
    visitor.scope, visitor.depth = dict(scope), visitor.depth + 1
    try:
        visitor.visit_body(body)
        return scope, visitor.scope
    finally:
        visitor.depth -= 1


def _after(visitor: Visitor, node: ast.AST, attempt: Attempt, end: Scope, results: list[tensor]) -> None:
    """Sets the scope after a loop: carried names have its results, names of the body are undefined."""
    line = visitor.source.location(node).line
    visitor.scope.update(attempt.inside(results))
    for name in end:
        if name not in visitor.scope:
            visitor.scope[name] = Undefined(f"defined only inside the loop of line {line}")


def _block(visitor: Visitor, types: list[Type]) -> tuple[Region, Block, list[tensor]]:
    region = visitor.emitter.builder.create_region()
    block = visitor.emitter.builder.append_block(region, [each.ir for each in types])
    return region, block, [tensor(value, each) for value, each in zip(block.arguments, types, strict=True)]


def _listed(made: Any) -> list[tensor]:
    return [] if made is None else list(made) if isinstance(made, tuple) else [made]


@statement(ast.While)
def _while(visitor: Visitor, node: ast.While) -> None:
    _no_else(node)
    emitter = visitor.emitter

    def walk(names: list[str]) -> Any:
        outer = visitor.scope
        attempt = Attempt(visitor, node, names)
        before, entry, arguments = _block(visitor, attempt.types)
        entered = {**outer, **attempt.inside(arguments)}
        visitor.scope = dict(entered)
        with emitter.at(entry):
            value = visitor.visit(node.test)
            hints = _licm(value.disable_licm) if isinstance(value, condition) else {}
            value = condition_of(visitor, node.test, value.condition if isinstance(value, condition) else value)
            if value is True:
                raise KernelSyntaxError(
                    "a loop ends by its condition, which is always true", location=visitor.source.location(node.test),
                    hint="there is no 'break': write the condition that ends it",
                )  # fmt: skip
            if value is False:
                value = emitter.constant(value, int1)
            # Names that the condition assigns with `:=` are visible in the body and after the loop.
            tested = visitor.scope
            attempt.finish(visitor, node, tested)
            passed = Attempt(visitor, node, names + [name for name in _guess(tested, set(tested)) if name not in outer])
            emitter.create("scf.condition", value, *leaves(tuple(passed.initial.values())), result=())
        after, entry, arguments = _block(visitor, passed.types)
        with emitter.at(entry):
            start, end = _walk_body(visitor, node.body, {**tested, **passed.inside(arguments)})
            start = start | {name: entered[name] for name in _changed(outer, entered, tested, set())}
            if set(_changed(outer, start, end, set())) <= set(names):
                emitter.create("scf.yield", *attempt.finish(visitor, node, end), result=())
        return attempt, ([before, after], hints, passed), start, end

    attempt, (regions, hints, passed), end = _settle(visitor, [node.test, *node.body], set(), walk)
    visitor.at(node)
    initial = leaves(tuple(attempt.initial.values()))
    made = emitter.create("scf.while", *initial, attributes=hints, result=passed.types, regions=regions)
    _after(visitor, node, passed, end, _listed(made))


def _no_else(node: ast.For | ast.While) -> None:
    if node.orelse:
        raise KernelSyntaxError("'else' after a loop is not part of the kernel language", hint="put it after the loop")


@statement(ast.For)
def _for(visitor: Visitor, node: ast.For) -> None:
    _no_else(node)
    iterator = _iterator(visitor, node)
    if isinstance(iterator, tl_range):
        return _runtime_for(visitor, node, iterator)
    for item in iterator:
        assign(visitor, node.target, item)
        visitor.visit_body(node.body)
        if visitor.ended:
            return None
    return None


def _iterator(visitor: Visitor, node: ast.For) -> Any:
    call = node.iter
    if isinstance(call, ast.Call) and not call.keywords and visitor.visit(call.func) is range:
        # Python's range is a runtime loop, like tl.range.
        bounds = [visitor.visit(argument) for argument in call.args]
        with Loc(visitor.source.location(call)):
            return builtin_range(*bounds)
    value = visitor.visit(call)
    if isinstance(value, (tl_range, static_range, list, tuple, range, zip, enumerate)):
        return tl_range(value.start, value.stop, value.step) if isinstance(value, range) else value
    raise KernelSyntaxError(
        f"a loop runs over range, tl.range, tl.static_range or a compile-time tuple, got {describe(value)}",
        location=visitor.source.location(call),
        hint="use tl.range(n) and tl.load inside",
    )


def _bounds(visitor: Visitor, node: ast.AST, loop: tl_range) -> tuple[list[tensor], dtype, bool]:
    """Returns start, end and step, their common integer type, and whether the loop runs backwards."""
    values = [loop.start, loop.end, loop.step]
    kinds: list[dtype] = []
    for value in values:
        kind = value.dtype if isinstance(value, tensor) else literal_type(value)
        scalar = isinstance(kind, dtype) and kind.is_int() and not (isinstance(value, tensor) and value.shape)
        if not scalar or isinstance(value, float):
            error = TypeMismatchError(
                f"'range' expects integer scalars, got {describe(value)}", location=visitor.source.location(node)
            )
            error.hint = argument_hint(visitor, node, error) or "convert with .to(tl.int32)"
            raise error
        assert isinstance(kind, dtype)
        kinds.append(kind)
    if not isinstance(loop.step, tensor) and loop.step == 0:
        raise TypeMismatchError("'range' expects a step other than zero, got 0", location=visitor.source.location(node))
    kind = integer_promote(integer_promote(kinds[0], kinds[1]), kinds[2])
    backwards = not isinstance(loop.step, tensor) and loop.step < 0
    if backwards:
        values = [loop.end, loop.start, -loop.step]
    visitor.at(node)
    bounds = [
        visitor.emitter.run(cast, (value, kind), {})
        if isinstance(value, tensor)
        else visitor.emitter.constant(value, kind)
        for value in values
    ]
    return bounds, kind, backwards


def _runtime_for(visitor: Visitor, node: ast.For, loop: tl_range) -> None:
    if not isinstance(node.target, ast.Name):
        raise KernelSyntaxError("a range gives one name its values, got several")
    emitter, name = visitor.emitter, node.target.id
    bounds, kind, backwards = _bounds(visitor, node.iter, loop)

    def walk(names: list[str]) -> Any:
        outer = visitor.scope
        attempt = Attempt(visitor, node, names)
        region, entry, (index, *arguments) = _block(visitor, [kind, *attempt.types])
        with emitter.at(entry):
            if backwards:
                # The loop counts up; the kernel's induction variable is end - i + start.
                visitor.at(node.target)
                index = emitter.create("arith.subi", bounds[1], index, result=kind)
                index = emitter.create("arith.addi", index, bounds[0], result=kind)
            start, end = _walk_body(visitor, node.body, {**outer, **attempt.inside(arguments), name: index})
            if set(_changed(outer, start, end, {name})) <= set(names):
                visitor.at(node)
                emitter.create("scf.yield", *attempt.finish(visitor, node, end), result=())
        return attempt, region, start, end

    attempt, region, end = _settle(visitor, node.body, {name}, walk)
    visitor.at(node)
    initial = leaves(tuple(attempt.initial.values()))
    made = emitter.create(
        "scf.for", *bounds, *initial, attributes=dict(_hints(loop)), result=attempt.types, regions=[region]
    )
    ended = f"the variable of the loop of line {visitor.source.location(node).line}, which has ended"
    visitor.scope[name] = Undefined(ended, hint="give another name its value, within the loop")
    _after(visitor, node, attempt, end, _listed(made))


def _licm(disabled: bool) -> dict[str, str]:
    return {"llvm.loop_annotation": _NO_LICM} if disabled else {}


def _hints(loop: tl_range) -> Iterator[tuple[str, str]]:
    """Yields the attributes of a loop under Triton's names."""
    if loop.num_stages is not None:
        yield "tt.num_stages", f"{loop.num_stages} : i32"
    if loop.loop_unroll_factor is not None:
        yield "tt.loop_unroll_factor", f"{loop.loop_unroll_factor} : i32"
    for name in ("disallow_acc_multi_buffer", "flatten", "warp_specialize"):
        if getattr(loop, name):
            yield f"tt.{name}", "unit"
    yield from _licm(loop.disable_licm).items()
