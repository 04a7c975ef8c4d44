"""Draws pointers that are values: advanced by loops, selected, and computed from strides that the launch passes."""

from __future__ import annotations

from typing import Any

from .draw import Drawing, Literal, RejectedError, draws
from .elementwise import boolean, integer
from .memory import index, some_shape
from .program import POINTER, Line, Nest

_KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "float64")


def _step(g: Drawing, step: int) -> str:
    """Returns the step of an iteration: a constant, or an argument."""
    return g.scalar(step) if g.choose.random() < 0.5 else Literal(step)


def _iterations(g: Drawing, maximum: int) -> tuple[str, list[str]]:
    chance = g.choose.random()
    if chance < 0.4:
        return "range({0})", [g.scalar(g.choose.randint(0, maximum))]
    if chance < 0.6:
        return f"range({{0}} % {maximum + 1})", [g.pid]
    return g.one_of("range", "range", "tl.range", "tl.static_range") + f"({maximum})", []


def _assigned(g: Drawing, target: str, form: str, *operands: str) -> None:
    """Adds a line that assigns another value of its type to a name."""
    text, uses = g.text(form, operands)
    value = g.evaluate(text.format(*uses))
    previous = g.values[target]
    if value.type != previous.type:
        raise RejectedError
    g.statements.append(Line(text, uses, [target], [POINTER if value.dtype.is_ptr() else g.kind(target)]))
    g.values[target] = value


@draws("", 3)
def walked(g: Drawing) -> Any:
    """Loads through pointers that a loop advances, adds up, and stores the sum to other memory or the same."""
    if g.in_function or g.depth:
        raise RejectedError
    kind, shape = g.one_of(*_KINDS), some_shape(g)
    indices = index(g, shape)
    span, maximum = int(g.values[indices].handle.max()) + 1, g.choose.randint(1, 4)
    step = g.one_of(0, 1, -1, 3, span, span, span + 5, -span)
    distance = abs(step) * maximum
    stride = span + distance + g.one_of(0, 0, 1, 16)
    in_place = g.choose.random() < 0.4
    x = g.tensor(kind, stride * g.programs, stored=in_place)
    offsets = g.let("{} * {} + {}", g.pid, Literal(stride), indices)
    moving = [g.let("{} + ({} + {})", x, offsets, Literal(distance if step < 0 else 0), hidden=True)]
    if not in_place and g.choose.random() < 0.6:
        out = g.tensor(kind, stride * g.programs, stored=True)
        moving.append(g.let("{} + {}", out, offsets, hidden=True))
    # If several iterations store to one element of another argument, the last one's value remains.
    steps = [_step(g, step), _step(g, abs(step))][: len(moving)]
    total = g.let("tl.zeros({}, tl.{})", Literal(shape), Literal(kind))
    head, uses = _iterations(g, maximum)
    iteration = g.fresh("i")
    carried = [*moving, total]
    nest = Nest(
        f"for {iteration} in {head}:", uses, [], targets=carried, kinds=[POINTER] * len(moving) + [g.kind(total)]
    )
    with g.nested(nest.body):
        first = g.evaluate(f"list({head.format(*uses)})[:1]")
        g.values[iteration] = first[0] if first else g.evaluate("tl.to_tensor(0)")
        mask = _mask_option(g, shape)
        loaded = g.let(f"tl.load({{}}{mask[0]})", moving[0], *mask[1])
        _assigned(g, total, f"({{}} + {{}}).to(tl.{kind})", total, loaded)
        if in_place or len(moving) > 1:
            stored = g.one_of(loaded, total, g.let(f"({{}} + 1).to(tl.{kind})", loaded))
            mask = _mask_option(g, shape, with_other=False)
            _barrier(g)
            g.do(f"tl.store({{}}, {{}}{mask[0]})", moving[-1], stored, *mask[1])
            _barrier(g)
        for pointer, by in zip(moving, steps, strict=True):
            _assigned(g, pointer, "{} + {}", pointer, by)
    g.statements.append(nest)
    if g.choose.random() < 0.4:
        return g.let("tl.load({})", moving[0])
    return total


def _barrier(g: Drawing) -> None:
    if g.device == "cuda":
        g.do("tl.debug_barrier()")


def _mask_option(g: Drawing, shape: tuple[int, ...], *, with_other: bool = True) -> tuple[str, list[str]]:
    """Returns a mask from existing values, as the rest of a call and its operands."""
    masks = g.names_of(lambda value: boolean(value) and value.shape in ((), shape))
    if not masks or g.choose.random() < 0.5:
        return "", []
    return ", mask={}" + (", other=0" if with_other else ""), [g.choose.choice(masks)]


@draws("", 1.5)
def chosen(g: Drawing) -> Any:
    """Loads through one of two pointers, selected for a whole program or for each lane."""
    if g.in_function or g.depth > 1:
        raise RejectedError
    kind, shape = g.one_of(*_KINDS), some_shape(g)
    indices = index(g, shape, unique=False)
    count = int(g.values[indices].handle.max()) + 1
    a, b = g.tensor(kind, count), g.tensor(kind, count)
    if g.choose.random() < 0.5:
        mask = g.pick(lambda value: boolean(value) and value.shape in ((), shape))
        pointers = [g.let("{} + {}", selected, indices, hidden=True) for selected in (a, b)]
        return g.let("tl.load({})", g.let("tl.where({}, {}, {})", mask, *pointers, hidden=True))
    value = g.pick(lambda value: integer(value) and not value.shape)
    condition = g.let(g.one_of("{} > 2", "{} % 2 == 0"), value)
    base = g.let("{} + {}", a, Literal(0), hidden=True)
    nest = Nest("if {0}:", [condition], [], targets=[base], kinds=[POINTER])
    with g.nested(nest.body):
        _assigned(g, base, "{} + {}", b, Literal(0))
    g.statements.append(nest)
    return g.let("tl.load({} + {})", base, indices)


@draws("", 2.5)
def matrix(g: Drawing) -> Any:
    """Loads a tile of a matrix whose extents and strides are arguments; its rows may wrap around, or be masked."""
    if g.in_function or g.depth > 1:
        raise RejectedError
    size = g.one_of(*g.sizes)
    rows = 1 << g.choose.randrange(size.bit_length())
    columns = max(size // rows, 1)
    height = max(rows * g.programs - g.choose.randrange(rows + 1), 1)
    width = max(columns - g.choose.randrange(columns), 1) if g.choose.random() < 0.6 else columns
    by_rows = g.choose.random() < 0.6
    step = (width if by_rows else height) + g.one_of(0, 0, 1, 5)
    inner_step = g.one_of(1, 1, 1, 2)
    strides = (step * inner_step, inner_step) if by_rows else (inner_step, step * inner_step)
    kind, end = g.one_of(*_KINDS), (height - 1) * strides[0] + (width - 1) * strides[1] + 1
    waits = g.depth == 0 and g.choose.random() < 0.4
    x = g.tensor(kind, end + 16 * g.programs * waits, stored=waits)
    steps = [_step(g, stride) for stride in strides]
    row = g.let(f"{{}} * {rows} + tl.arange(0, {rows})", g.pid)
    column = g.let(f"tl.arange(0, {columns})")
    top, side = _step(g, height), _step(g, width)
    wraps = g.choose.random() < 0.4
    if wraps:
        row = g.let("{} % {}", row, top)
    pointers = g.let("{} + {}[:, None] * {} + {}[None, :] * {}", x, row, steps[0], column, steps[1], hidden=True)
    masks = [g.let("{}[None, :] < {}", column, side)]
    if not wraps:
        masks.append(g.let("{}[:, None] < {}", row, top))
    mask = masks[0] if wraps else g.let("{} & {}", *masks)
    load = f"tl.load({{}}, mask={{}}{g.one_of('', ', other=0', ', other=1')})"
    if not waits:
        return g.let(load, pointers, mask)
    # It is used by a reduction only, and is kept in a buffer while a store to the same array follows.
    tile = g.let(load, pointers, mask, hidden=True)
    g.do(f"tl.store({{}} + {end} + {{}} * 16 + tl.arange(0, 16), tl.zeros((16,), tl.{kind}))", x, g.pid)
    return g.let(f"tl.{g.one_of('sum', 'max', 'min')}({{}}, {{}})", tile, Literal(g.choose.randrange(2)))
