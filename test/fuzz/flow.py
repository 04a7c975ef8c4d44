"""Draws loops, branches and functions."""

from __future__ import annotations

from typing import Any

from blockdsl.language.tensor import tensor

from .draw import Drawing, Literal, RejectedError, draws
from .elementwise import boolean, floating, integer, numeric
from .program import Function, Line, Nest

DEEPEST = 2


def copies(g: Drawing, count: int) -> list[str]:
    """Returns new names for values that a body will assign to."""
    return [g.let("{}", g.pick(lambda value: not value.dtype.is_fp8())) for _ in range(count)]


def assign(g: Drawing, target: str) -> None:
    """Assigns another value of the same type to a name."""
    kind, shape = g.kind(target)
    same_shape = g.names_of(lambda value: value.shape == shape)
    same = [name for name in same_shape if g.kind(name)[0] == kind and name != target]
    if same and g.choose.random() < 0.5:
        value: str = g.choose.choice(same[-4:])
        if g.device == "cuda":
            # Triton carries two names of one value as if both had the value of the first.
            value = g.let("{} & {}", value, value) if boolean(g.values[value]) else g.let("{} + 0", value)
    elif boolean(g.values[target]):
        value = g.let("~{}", target)
    else:
        operand = g.like(target, numeric) if g.choose.random() < 0.7 else target
        if g.values[operand].shape not in ((), shape):
            raise RejectedError
        if g.device == "cuda" and floating(g.values[operand]) and integer(g.values[target]):
            raise RejectedError  # Conversions of floats beyond all integers are undefined there.
        step = g.one_of("({} + {}).to(tl.{})", "({} - {}).to(tl.{})", "tl.maximum({}, {}).to(tl.{})")
        if shape and integer(g.values[target]) and g.choose.random() < 0.3:
            axis = g.choose.randrange(len(shape))
            indices = g.let("({} & {}).to(tl.int32)", target, Literal(shape[axis] - 1))
            moved = g.let("tl.gather({}, {}, {})", target, indices, Literal(axis))
            value = g.let(g.one_of("({} ^ {}).to(tl.{})", "({} + {}).to(tl.{})"), target, moved, Literal(kind))
        else:
            value = g.let(step, target, operand, Literal(kind))
    if g.kind(value) != (kind, shape):
        raise RejectedError
    g.statements.append(Line("{0}", [value], [target], [(kind, shape)]))
    g.values[target] = g.values[value]


@draws("range static_range condition", 3)
def loop(g: Drawing) -> None:
    if g.depth >= DEEPEST:
        raise RejectedError
    carried = copies(g, g.choose.randint(1, 3))
    if g.choose.random() < 0.2:
        return repeated(g, carried)
    variable = g.fresh("i")
    head, uses = iterations(g)
    nest = Nest(f"for {variable} in {head}:", uses, [], targets=carried, kinds=[g.kind(name) for name in carried])
    initial = {name: g.values[name] for name in carried}
    with g.nested(nest.body):
        first = g.evaluate(f"list({head.format(*uses)})[:1]")
        g.values[variable] = first[0] if first else g.evaluate("tl.to_tensor(0)")
        if isinstance(g.values[variable], tensor):
            g.names.append(variable)
        _body(g, carried)
    if not first:
        g.values.update(initial)
    g.statements.append(nest)
    return None


def _body(g: Drawing, carried: list[str]) -> None:
    g.random_statements(g.choose.randint(0, 4), tries=5)
    for name in carried:
        if g.choose.random() < 0.85:
            for _ in range(4):
                if g.attempt(lambda g, name=name: assign(g, name)):  # type: ignore[misc]
                    break


def iterations(g: Drawing) -> tuple[str, list[str]]:
    """Returns the iterable of a ``for``: few iterations, a constant number or not."""
    chance = g.choose.random()
    if chance < 0.35:
        return f"range({{0}}{g.one_of('', ' + 1', ' * 2')})", [g.scalar(g.choose.randint(0, 4))]
    if chance < 0.5:
        return g.one_of("range({0} % 3)", "range({0} & 1, 5, 2)", "range(3, {0} % 2, -1)"), [g.pid]
    steps = g.one_of("(3)", "(4)", "(1)", "(0)", "(2, 8, 3)", "(5, 0, -2)", "(0, 64, 16)")
    return g.one_of("range", "tl.range", "tl.static_range") + steps, []


def repeated(g: Drawing, carried: list[str]) -> None:
    """A ``while`` that counts."""
    count = g.let("tl.to_tensor({})", Literal(0))
    limit = g.scalar(g.choose.randint(0, 4))
    nest = Nest(g.one_of("while {0} < {1}:", "while ({0} < {1}) & ({0} < 3):", "while tl.condition({0} < {1}):"),
                [count, limit], [], targets=[*carried, count],
                kinds=[g.kind(name) for name in [*carried, count]])  # fmt: skip
    with g.nested(nest.body):
        _body(g, carried)
        g.statements.append(Line("{0} + 1", [count], [count], [("int32", ())]))
    g.statements.append(nest)


@draws("", 2.5)
def branch(g: Drawing) -> None:
    if g.depth >= DEEPEST:
        raise RejectedError
    assigned = copies(g, g.choose.randint(1, 2))
    condition = _condition(g)
    nest = Nest("if {0}:", [condition], [], targets=assigned, kinds=[g.kind(name) for name in assigned])
    initial = {name: g.values[name] for name in assigned}
    with g.nested(nest.body):
        _body(g, assigned)
    assigned_values = {name: g.values[name] for name in assigned}
    if not nest.body:
        raise RejectedError
    g.values.update(initial)
    if g.choose.random() < 0.6:
        with g.nested(nest.orelse):
            _body(g, assigned)
        assigned_values = g.choose.choice((assigned_values, {name: g.values[name] for name in assigned}))
    g.values.update(assigned_values)
    g.statements.append(nest)


def _condition(g: Drawing) -> str:
    scalars = g.names_of(lambda value: boolean(value) and not value.shape)
    if scalars and g.choose.random() < 0.5:
        return str(g.choose.choice(scalars))
    a = g.pick(lambda value: integer(value) and not value.shape)
    return str(g.let(g.one_of("{} > 1", "{} % 2 == 0", "{} == {}", "not ({} > 2)", "({} > 0) and ({} < 3)"), a,
                     *([a] if g.choose.random() < 0.3 else [g.pid])))  # fmt: skip


@draws("", 2)
def call(g: Drawing) -> Any:
    """A function with a body of its own; sometimes it returns early."""
    if g.in_function or g.depth >= DEEPEST:
        raise RejectedError
    arguments = [g.pick() for _ in range(g.choose.randint(1, 3))]
    name = g.fresh("f")
    function = Function(name, [g.fresh("a") for _ in arguments], [g.kind(argument) for argument in arguments], [])
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        g.values[parameter] = g.values[argument]
    outer_pid, g.in_function = g.pid, True
    outer = g.names
    try:
        with g.nested(function.body):
            g.names = list(function.parameters)
            g.pid = g.let("tl.program_id({})", Literal(0))
            g.random_statements(g.choose.randint(1, 4), tries=6)
            results = [g.pick() for _ in range(g.one_of(1, 1, 2))]
            early = [parameter for parameter in function.parameters if g.kind(parameter) == g.kind(results[0])]
            scalars = g.names_of(lambda value: integer(value) and not value.shape)
            if early and scalars and len(results) == 1 and g.choose.random() < 0.5:
                nest = Nest("if {0} > 2:", [g.choose.choice(scalars)], [Line("return {0}", [g.choose.choice(early)])])
                function.body.append(nest)
            form = ", ".join(f"{{{at}}}" for at in range(len(results)))
            function.body.append(Line(f"return {form}", results))
    finally:
        g.pid, g.in_function, g.names = outer_pid, False, outer
    g.define(function)
    targets = len(results)
    return g.let(f"{name}({', '.join('{}' for _ in arguments)})", *arguments, targets=targets)


MAPPED = {
    "map_branch": ("a", ["if a > 3:", "    return a - 1", "return a + 1"], 1, 1),
    "map_choose": ("a, b", ["if a > b:", "    a = b", "return a"], 2, 1),
    "map_halves": ("a", ["return a >> 1, a & 1"], 1, 1),
    "map_loop": ("a", ["s = a", "for i in range(3):", "    s = s ^ (a + i)", "return s"], 1, 1),
    "map_pairs": ("a0, a1", ["return a1, a0"], 1, 2),
}


@draws("map_elementwise", 1, nested=0.2)
def mapped(g: Drawing) -> Any:
    name = g.one_of(*MAPPED)
    parameters, lines, count, pack = MAPPED[name]
    a = g.block(lambda value: value.dtype.is_int32() or (value.dtype.is_int64() and value.numel <= 256))
    kind, shape = g.values[a].dtype, g.values[a].shape
    if (g.device == "cuda" and pack > 1) or g.values[a].numel > 256:
        raise RejectedError
    operands = [a] + [g.block(lambda v: v.dtype == kind and v.shape == shape) for _ in range(count - 1)]
    g.define(Function(name, parameters.split(", "), [], [Line(line) for line in lines]))
    form = f"tl.map_elementwise({name}, {', '.join('{}' for _ in operands)}{f', pack={pack}' if pack > 1 else ''})"
    if name == "map_pairs":
        return g.let(form + "[0]", *operands)
    return g.let(form, *operands, targets=2 if name == "map_halves" else 1)
