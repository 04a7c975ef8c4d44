"""Draws blocks that are read and written through tensor descriptors: made by the kernel, and passed by the launch."""

from __future__ import annotations

from typing import Any

from .draw import Drawing, Literal, RejectedError, draws

_KINDS = ("int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64")
_SIZES = {"8": 1, "6": 2, "2": 4, "4": 8}


def _array(g: Drawing, rows: int, columns: int, *, height: int, kind: str, stored: bool = False) -> str:
    """A descriptor of an array in memory of its own, with blocks of given rows and columns."""
    if g.in_function or g.depth:
        raise RejectedError
    item = _SIZES[kind[-1]]
    width = g.choose.randint(1, 3 * columns)
    step = -(-width * item // 16) * 16 // item
    x = g.tensor(kind, height * step, stored=stored)
    padding = "nan" if "float" in kind and g.choose.random() < 0.5 else "zero"
    if g.choose.random() < 0.5:
        return g.descriptor(x, (height, width), (step, 1), (rows, columns), padding)
    options = f', padding_option="{padding}"' if padding == "nan" else ""
    form = f"tl.make_tensor_descriptor({{}}, [{height}, {width}], [{step}, 1], [{rows}, {columns}]{options})"
    return g.let_hidden(form, x)


def _at_least_minimum_columns(kind: str, columns: int, *, rows: bool = False) -> int:
    """Returns the fewest columns of a block: a row has at least 16 bytes, or 32 if single rows are accessed."""
    return max((32 if rows else 16) // _SIZES[kind[-1]], 8 if rows else 1, columns)


@draws("make_tensor_descriptor load_tensor_descriptor", 1.5)
def described(g: Drawing) -> Any:
    """A block read through a descriptor."""
    kind, rows = g.one_of(*_KINDS), g.one_of(1, 2, 4, 8)
    columns = _at_least_minimum_columns(kind, g.one_of(*g.sizes))
    height = g.choose.randint(1, 3 * rows)
    descriptor = _array(g, rows, columns, height=height, kind=kind)
    row, column = g.one_of(f"{g.choose.randint(-rows, height)}", "{} % 3"), g.choose.randint(-columns, columns)
    if "{}" in row:
        return g.let(f"{{}}.load([{row}, {column}])", descriptor, g.pid)
    return g.let(f"{{}}.load([{row}, {column}])", descriptor)


@draws("store_tensor_descriptor", 1)
def stored_by_descriptor(g: Drawing) -> None:
    """Stores each program's rows, computed from values of another descriptor, or of this one."""
    kind, rows = g.one_of(*_KINDS), g.one_of(1, 2, 4, 8)
    columns = _at_least_minimum_columns(kind, g.one_of(*g.sizes))
    height = max(rows * g.programs - g.choose.randrange(rows), 1)
    out = _array(g, rows, columns, height=height, kind=kind, stored=True)
    column = Literal(g.choose.choice((0, 0, 0, -1, 1, columns // 2)))
    row = g.let("{} * {}", g.pid, Literal(rows))
    if g.choose.random() < 0.5:
        value = g.block(lambda value: value.shape == (rows, columns), any_error=True)
    else:
        source = out if g.choose.random() < 0.5 else _array(g, rows, columns, height=height, kind=kind)
        value = g.let("{}.load([{}, {}])", source, row, column)
        form = g.one_of("{} + 1", "{} * 2", "tl.flip({}, 0)", "tl.flip({}, 1)", "tl.max({}, 0)[None, :] + {}")
        value = g.let(form, *[value] * form.count("{}"))
    g.do("{}.store([{}, {}], {})", out, row, column, value)


@draws("descriptor_gather", 1)
def rows_gathered(g: Drawing) -> Any:
    """Gathers rows of an array by their numbers, some of which are out of bounds."""
    kind = g.one_of(*_KINDS)
    columns = _at_least_minimum_columns(kind, g.one_of(*g.sizes), rows=True)
    height = g.choose.randint(1, 40)
    descriptor = _array(g, 1, columns, height=height, kind=kind)
    indices = _rows(g, height)
    return g.let("{}.gather({}, {})", descriptor, indices, Literal(g.choose.choice((0, 0, 1, -1, columns // 2))))


@draws("descriptor_scatter", 0.7)
def rows_scattered(g: Drawing) -> None:
    """Scatters rows in another order, each program its own."""
    kind, count = g.one_of(*_KINDS), g.one_of(8, 16, 32)
    columns = _at_least_minimum_columns(kind, min(g.one_of(*g.sizes), 64), rows=True)
    height = max(count * g.programs - g.choose.randrange(3), 1)
    out = _array(g, 1, columns, height=height, kind=kind, stored=True)
    order = g.one_of(f"tl.arange(0, {count})", f"{count - 1} - tl.arange(0, {count})", f"(tl.arange(0, {count}) ^ 5)")
    indices = g.let(f"({order} + {{}} * {count}).to(tl.{g.one_of('int16', 'int32')})", g.pid)
    if g.choose.random() < 0.5:
        value = g.block(lambda value: value.shape == (count, columns), any_error=True)
    else:
        source = _array(g, 1, columns, height=g.choose.randint(1, 40), kind=kind)
        value = g.let("{}.gather({}, {})", source, _rows(g, 40, count), Literal(0))
    g.do("{}.scatter({}, {}, {})", out, value, indices, Literal(g.choose.choice((0, 0, 1, -2))))


_NUMBERS = ("int32", "uint32", "float16", "bfloat16")
_UPDATED = {
    "add": (*_NUMBERS, "uint64", "float32"),
    **dict.fromkeys(("min", "max"), (*_NUMBERS, "int64", "uint64")),
    **dict.fromkeys(("and", "or", "xor"), ("int32", "uint32", "int64", "uint64")),
}


@draws(" ".join(f"descriptor_atomic_{name}" for name in _UPDATED), 1)
def updated_by_descriptor(g: Drawing) -> None:
    """Updates each program's rows by a block in memory, whose edge may be out of bounds."""
    name, rows = g.one_of(*_UPDATED), g.one_of(1, 2, 4, 8)
    kind = g.one_of(*_UPDATED[name])
    columns = _at_least_minimum_columns(kind, g.one_of(*g.sizes))
    height = max(rows * g.programs - g.choose.randrange(rows), 1)
    out = _array(g, rows, columns, height=height, kind=kind, stored=True)
    value = g.tensor(kind, rows * columns, recipe="small")
    block = g.let(f"tl.load({{}} + tl.arange(0, {rows * columns}).reshape(({rows}, {columns})))", value)
    column = g.one_of(0, 0, 0, -1, 1, columns // 2)
    g.do(f"{{}}.atomic_{name}([{{}} * {rows}, {column}], {{}})", out, g.pid, block)


def _rows(g: Drawing, height: int, count: int = 0) -> str:
    """Draws numbers of rows, constants or loaded."""
    count = count or g.one_of(8, 16, 32)
    kind = g.one_of("int16", "int32")
    if g.choose.random() < 0.5:
        return str(g.let(f"((tl.arange(0, {count}) * {g.one_of(1, 3, 7)} + {{}}) % {height + 1}).to(tl.{kind})", g.pid))
    x = g.tensor(kind, count, recipe=g.one_of("small", "indices"))
    return str(g.let(f"tl.load({{}} + tl.arange(0, {count}))", x))
