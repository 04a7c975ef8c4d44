"""Draws stores under bounds of rows and columns, with loaded masks, along either dimension, and under single bits."""

from __future__ import annotations

from . import elementwise
from .draw import Drawing, Literal, RejectedError, draws


def bounded(g: Drawing, along: str, size: int) -> str:
    """A mask that begins and ends somewhere along a dimension, sometimes depending on the program."""
    end = g.choose.choice((0, 1, size - 1, size, g.choose.randrange(size + 1)))
    if g.choose.random() < 0.3:
        along = g.let("{} * {} + {}", g.pid, Literal(size // 2), along)
        end += size // 2 * (g.programs - 1)
    limit = g.scalar(end) if g.choose.random() < 0.7 else Literal(end)
    mask = g.let(g.one_of("{} < {}", "{} < {}", "{} <= {}"), along, limit)
    if g.choose.random() < 0.3:
        mask = g.let("{} & ({} >= {})", mask, along, g.scalar(g.choose.randrange(size)))
    return str(mask)


def data(g: Drawing, shape: tuple[int, ...]) -> str:
    """A block of bools that is no bound."""
    bools = g.names_of(lambda value: elementwise.boolean(value) and value.shape == shape)
    if bools and g.choose.random() < 0.5:
        return g.choose.choice(bools)
    if g.choose.random() < 0.5:
        block = g.block(lambda value: elementwise.integer(value) and value.shape == shape)
        return str(g.let("{} > {}", block, g.number(block)))
    offsets = g.let(f"{{}} * {shape[0] * shape[1]} + tl.arange(0, {shape[0]})[:, None] * {shape[1]}"
                  f" + tl.arange(0, {shape[1]})[None, :]", g.pid)  # fmt: skip
    return str(g.let("tl.load({} + {})", g.tensor("int1", shape[0] * shape[1] * g.programs), offsets))


@draws("", 1.5)
def stored_in_a_window(g: Drawing) -> None:
    if g.in_function:
        raise RejectedError
    store_in_a_window(g, g.pick(lambda value: len(value.shape) == 2 and not value.dtype.is_fp8(), any_error=True))


def store_in_a_window(g: Drawing, value: str) -> None:
    kind, shape = g.kind(value)
    rows, columns = shape
    row, column = g.let(f"tl.arange(0, {rows})[:, None]"), g.let(f"tl.arange(0, {columns})[None, :]")
    masks = [bounded(g, along, size) for along, size in ((row, rows), (column, columns)) if g.choose.random() < 0.7]
    lines = [f"{{}} * {rows * columns} + {{}} * {columns} + {{}}", row, column]
    if g.choose.random() < 0.6:
        lines = [f"{{}} * {rows * columns} + {{}} * {rows} + {{}}", column, row]
    offsets = g.let(lines[0], g.pid, *lines[1:])
    if g.choose.random() < 0.6:
        data_mask = data(g, shape)
        masks.insert(g.choose.randrange(len(masks) + 1), data_mask)
        if g.choose.random() < 0.3:
            x, mask = g.tensor(kind, rows * columns * g.programs), g.let("~{}", data_mask)
            value = g.let("tl.load({} + {}, mask={}, other=1)", x, offsets, mask)
            masks.remove(data_mask)
    if not masks:
        raise RejectedError
    combined = masks[0]
    for mask in masks[1:]:
        combined = g.let("{} & {}", combined, mask)
    out = g.tensor(kind, rows * columns * g.programs, stored=True, recipe=None)
    g.do("tl.store({} + {}, {}, mask={})", out, offsets, value, combined)


@draws("", 0.5)
def stored_by_bits(g: Drawing) -> None:
    """Stores under one bit of each lane, with more invariant values than there are low registers."""
    if g.in_function or g.depth:
        raise RejectedError
    kind, rows, columns = g.one_of("int32", "int32", "int64"), g.one_of(4, 16), g.one_of(2, 2, 2, 4)
    size = rows * columns
    at = g.let(f"{{}} * {size} + tl.arange(0, {rows})[:, None] * {columns} + tl.arange(0, {columns})[None, :]", g.pid)
    mixed = g.let("tl.load({} + {})", g.tensor(kind, size * g.programs), at)
    step = g.scalar(g.one_of(2, 3))
    for _ in range(g.choose.randint(14, 22)):
        number = g.scalar(g.choose.randrange(1 << 20))
        mixed = g.let("({} ^ ({} * {})) + ({} >> 5)", mixed, number, step, mixed, hidden=True)
    if g.choose.random() < 0.3:
        keep = g.let("{} < 0", mixed, hidden=True)
    else:
        shifted = g.let("({} + 1).to(tl.int64) << 63", mixed, hidden=True)
        keep = g.let("({} >= 0) & ({} < 5)", shifted, shifted, hidden=True)
    indices = g.let("{} * {}", at, step)
    g.do("tl.store({} + {}, {}, mask={})", g.tensor(kind, 3 * size * g.programs, stored=True, recipe=None), indices,
         mixed, keep)  # fmt: skip
