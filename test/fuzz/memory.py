"""Draws loads and stores for which no two programs, and no two elements of a store, access the same address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import shapes
from .draw import Drawing, Literal, RejectedError, draws
from .elementwise import any_kind, boolean, converted, integer
from .program import Nest, walk


def begin(g: Drawing) -> None:
    """Draws the program's number, and the first loads."""
    sizes = g.program.grid
    form = ("tl.program_id(0)", f"tl.program_id(0) + {sizes[0]} * tl.program_id(1)", "")[len(sizes) - 1]
    if len(sizes) == 3:
        form = f"tl.program_id(0) + {sizes[0]} * (tl.program_id(1) + {sizes[1]} * tl.program_id(2))"
    g.pid = g.let(form)
    for _ in range(g.choose.randint(1, 4)):
        for _ in range(8):
            if g.attempt(loaded):
                break


def some_shape(g: Drawing) -> tuple[int, ...]:
    size = g.one_of(*g.sizes)
    return shapes.factored(g, size) if g.choose.random() < 0.5 else (size,)


def index(g: Drawing, shape: tuple[int, ...], *, unique: bool = True) -> str:
    """A block of element numbers: row-major with gaps between rows, transposed, reversed or permuted."""
    if not shape:
        return str(g.let("tl.to_tensor({})", Literal(0), hidden=True))
    order = list(range(len(shape)))
    if g.choose.random() < 0.3:
        g.choose.shuffle(order)
    step, terms = g.one_of(1, 1, 1, 2, 3), {}
    for axis in reversed(order):
        terms[axis] = step
        step *= shape[axis]
        step += g.one_of(0, 0, 0, 1, 3)
    parts = []
    for axis, size in enumerate(shape):
        key = "[" + ", ".join(":" if at == axis else "None" for at in range(len(shape))) + "]" if len(shape) > 1 else ""
        parts.append(f"tl.arange(0, {size}){key}" + (f" * {terms[axis]}" if terms[axis] != 1 else ""))
    name = g.let(" + ".join(parts))
    chance = g.choose.random()
    if chance < 0.1:
        name = g.let("{} - {}", Literal(int(g.values[name].handle.max())), name)
    elif chance < 0.2 and len(shape) == 1 and len(set(terms.values())) == 1:
        name = g.let("{} ^ {}", name, Literal(g.choose.randrange(shape[0]) * next(iter(terms.values()))))
    indices = g.values[name].handle
    if unique and np.unique(indices).size != indices.size:
        raise RejectedError
    return str(name)


def limited(g: Drawing, offsets: str, count: int, size: int) -> tuple[str | None, int]:
    """Returns a mask that keeps offsets in an array, and the array's extent: ``count``, or less by up to a block."""
    if g.choose.random() < 0.4:
        return None, count
    cut = g.choose.choice((0, 1, size - 1, g.choose.randrange(size + 1)))
    limit = max(count - cut, 1)
    bound: str = Literal(limit)
    if g.choose.random() < 0.6:
        bound = g.scalar(limit)
    return g.let("{} < {}", offsets, bound), limit


def with_other_mask(
    g: Drawing, mask: str | None, shape: tuple[int, ...], ends: tuple[str, int] | None = None
) -> str | None:
    """Returns the mask, perhaps combined with another one, or a loaded one if offsets and their limit are given."""
    if g.choose.random() < 0.5:
        return mask
    if ends is not None and mask is not None and g.choose.random() < 0.3:
        # The array ends with the mask, so that a load beyond the mask leaves the array.
        offsets, count = ends
        kind = g.one_of("int1", "int1", "int8")
        x = g.tensor(kind, count, recipe=None if kind == "int1" else "small")
        other = g.let("tl.load({} + {}, mask={})", x, offsets, mask)
        return str(g.let("{} & {}" if kind == "int1" else "{} & ({} != 0)", mask, other))

    def fits(value: Any) -> bool:
        return boolean(value) and len(value.shape) == len(shape) and all(
            a in (1, b) for a, b in zip(value.shape, shape, strict=True))  # fmt: skip

    masks = g.names_of(fits)
    if not masks:
        return mask
    other = g.choose.choice(masks)
    return other if mask is None else str(g.let("{} & {}", mask, other))


def pointer(g: Drawing, kind: str) -> str:
    """Returns the form of a pointer and its offsets. An argument of 8-bit floats is one of bytes."""
    base = f"{{0}}.to(tl.pointer_type(tl.{kind}))" if kind.startswith("float8") else "{0}"
    return str(g.one_of(f"{base} + {{1}}", f"{base} + {{1}}", f"{{1}} + {base}", f"{base} + {{1}}.to(tl.int64)"))


@draws("load", 5)
def loaded(g: Drawing) -> Any:
    shape = () if g.choose.random() < 0.15 else some_shape(g)
    indices = index(g, shape, unique=False)
    span = int(g.values[indices].handle.max()) + 1
    stride = g.one_of(0, span, span, span + 1, span + 16)
    offsets = g.let("{} * {} + {}", g.pid, Literal(stride), indices)
    size = int(np.prod(shape))
    mask, count = limited(g, offsets, span + stride * (g.programs - 1), size)
    return _load(g, any_kind(g), count, offsets, with_other_mask(g, mask, shape))


@draws("", 3)
def looked_up(g: Drawing) -> Any:
    """Loads at loaded indices."""
    a = g.pick(integer)
    bits = g.choose.randint(1, 8)
    if g.choose.random() < 0.5 or g.values[a].dtype.primitive_bitwidth == 8:
        offsets = g.let("{} & {}", a, Literal((1 << bits) - 1 if g.values[a].dtype.primitive_bitwidth > 8 else 127))
        return _load(g, any_kind(g), 1 << max(bits, 7), offsets, with_other_mask(g, None, g.values[a].shape))
    count = g.one_of(1, 5, 100, 117)
    if g.choose.random() < 0.15:
        # The shift leaves few bits, and with the scale of an address none.
        a = g.let("{}.to(tl.int64) << {}", a, Literal(64 - g.choose.randint(1, 4)))
    in_bounds = g.let("({} >= 0) & ({} < {})", a, a, Literal(count))
    return _load(g, any_kind(g), count, a, with_other_mask(g, in_bounds, g.values[a].shape))


@draws("", 0.7)
def far_apart(g: Drawing) -> None:
    """Loads at indices that are zero or far too large, and that are also in a buffer because they are reversed."""
    if g.in_function or g.depth:
        raise RejectedError
    size = g.one_of(4, 8, 16)
    offsets = g.let(f"{{}} * {size} + tl.arange(0, {size})", g.pid)
    x = g.tensor(g.one_of("uint8", "int16", "int32", "int64"), size * g.programs, recipe="small")
    at = g.let("tl.load({} + {}).to(tl.int64) << {}", x, offsets, Literal(g.one_of(61, 62, 62, 63)))
    in_bounds = g.let("({} >= 0) & ({} < 100)", at, at)
    value = _load(g, g.one_of("int32", "int64", "float32", "float64", any_kind(g)), 100, at, in_bounds)
    g.let("tl.flip({}, 0)", at)
    store(g, value)


def _load(g: Drawing, kind: str, count: int, offsets: str, mask: str | None) -> Any:
    x = g.tensor(kind, count)
    hint = g.one_of("", "", "", "", ", volatile=True", ', cache_modifier=".cg"', ', eviction_policy="evict_first"')
    if hint and mask is None:
        return g.let(f"tl.load({pointer(g, kind)}{hint})", x, offsets)
    if mask is None:
        return g.let(f"tl.load({pointer(g, kind)})", x, offsets)
    default = ""
    if g.choose.random() < 0.4:
        default = ", other=1" if g.choose.random() < 0.7 else ", other=0"
    elif g.choose.random() < 0.2:
        shape = g.values[offsets].shape
        other = g.like(offsets, lambda value: value.shape in (shape, ()) and not value.dtype.is_fp8())
        other = converted(g, other, kind)
        return g.let(f"tl.load({pointer(g, kind)}, mask={{2}}, other={{3}})", x, offsets, mask, other)
    return g.let(f"tl.load({pointer(g, kind)}, mask={{2}}{default}{hint})", x, offsets, mask)


@draws("store", 2)
def stored(g: Drawing) -> None:
    value = g.pick(any_error=True)
    store(g, value)


def store(g: Drawing, value: str) -> None:
    """Stores a value to an argument of its own."""
    if g.in_function:
        raise RejectedError
    kind, shape = g.kind(value)
    if g.choose.random() < 0.15 and g.device == "cpu":
        kind = any_kind(g)
    indices = index(g, shape)
    span = int(g.values[indices].handle.max()) + 1
    stride = span + g.one_of(0, 0, 1, 16)
    offsets = g.let("{} * {} + {}", g.pid, Literal(stride), indices)
    mask, count = limited(g, offsets, span + stride * (g.programs - 1), max(int(np.prod(shape)), 1))
    mask = with_other_mask(g, mask, shape, (offsets, count))
    out = g.tensor(kind, count, stored=True, recipe=None)
    form = f"tl.store({pointer(g, kind)}, {{2}}"
    g.do(form + (", mask={3})" if mask else ")"), out, offsets, value, *([mask] if mask else []))


@draws("", 2)
def updated(g: Drawing) -> Any:
    """Loads from an array, and stores a result to the same array, or to an alias of it."""
    if g.in_function or g.depth:
        raise RejectedError
    shape = some_shape(g)
    kind = g.one_of("int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64")
    indices = index(g, shape)
    span = int(g.values[indices].handle.max()) + 1
    shift = g.one_of(0, 0, 1, 3, span)
    stride = span + shift
    x = g.tensor(kind, stride * g.programs, stored=True)
    y = g.view(x, shift) if g.choose.random() < 0.5 else x
    offsets = g.let("{} * {} + {}", g.pid, Literal(stride), indices)
    in_bounds = g.let("{} < {}", offsets, Literal(stride * g.programs - shift))
    mask = with_other_mask(g, in_bounds, shape) or in_bounds
    old = g.let("tl.load({} + {}, mask={})", x, offsets, mask)
    new = g.let(g.one_of("{} + 1", "{} * 2", "tl.flip({}, 0)", "tl.flip({}, 0) + 1", "{} + {}"), old, old)
    if g.device == "cuda":
        g.do("tl.debug_barrier()")
    g.do("tl.store({} + {}, {}, mask={})", y, offsets, new, mask)
    if g.device == "cuda":
        g.do("tl.debug_barrier()")
    return g.let("tl.load({} + {}, mask={})", x, offsets, mask)


def storable(g: Drawing, kind: str) -> Callable[[Any], bool]:
    """Returns the values that may be stored as a type: floats beyond its integers are undefined on a GPU."""
    return integer if g.device == "cuda" and "int" in kind else lambda value: not value.dtype.is_fp8()


@draws("", 1)
def stored_by_turns(g: Drawing) -> None:
    """Stores in a loop under bools that a masked load produced before it: they end where its mask does."""
    if g.in_function or g.depth:
        raise RejectedError
    size = g.one_of(*g.sizes)
    iterations, stride = g.one_of(2, 3), size
    offsets = g.let(f"{{}} * {stride} + tl.arange(0, {size})", g.pid)
    count = max(stride * g.programs - g.choose.randrange(size + 1), 1)
    in_bounds = g.let("{} < {}", offsets, g.scalar(count) if g.choose.random() < 0.5 else Literal(count))
    kind = g.one_of("int1", "int1", "int8", "int32")
    other_mask = g.let("tl.load({} + {}, mask={})", g.tensor(kind, count), offsets, in_bounds)
    if kind != "int1":
        other_mask = g.let(g.one_of("{} != 0", "{} > 0", "{}.to(tl.int1)"), other_mask)
    mask = g.let("{} & {}", in_bounds, other_mask)
    out_kind = g.one_of("int8", "int32", "int64", "float32")
    fits = storable(g, out_kind)
    value = g.one_of(offsets, g.pick(lambda value: value.shape in ((), (size,)) and fits(value)))
    out = g.tensor(out_kind, count * iterations, stored=True)
    iteration = g.fresh("i")
    nest = Nest(f"for {iteration} in range({iterations}):", [], [])
    with g.nested(nest.body):
        g.values[iteration] = g.evaluate("tl.to_tensor(0)")
        if g.choose.random() < 0.3:
            value = g.let("tl.load({} + {}, mask={})", g.tensor(g.one_of("int1", "int32"), count), offsets, mask)
            mask = in_bounds
        g.do(f"tl.store({{}} + {{}} * {iterations} + {{}}, {{}}, mask={{}})", out, offsets, iteration, value, mask)
    g.statements.append(nest)


@draws("", 0.7)
def stored_in_few_lanes(g: Drawing) -> None:
    """Stores narrowed values under a mask whose lanes are all known to the compiler, and few of which are true."""
    if g.in_function:
        raise RejectedError
    kind = g.one_of("int8", "uint8", "int16", "int32", cpu=("float16", "bfloat16"))
    fits = storable(g, kind)
    value = g.block(lambda value: len(value.shape) == 1 and fits(value))
    (size,) = g.values[value].shape
    at = g.let(f"tl.arange(0, {size})")
    mask = g.let(g.one_of("{} == {}", "{} == {}", "{} < {} % 3", "{} % 8 == {}"), at, Literal(g.choose.randrange(size)))
    offsets = g.let(f"{{}} * {size} + {{}}", g.pid, at)
    out = g.tensor(kind, size * g.programs, stored=True)
    g.do("tl.store({} + {}, {}, mask={})", out, offsets, value, mask)


def end(g: Drawing) -> None:
    """Stores the values that have no other use, and a few more."""
    used: set[str] = set()
    for statement in walk(g.program.body):
        used.update(statement.uses)
        if isinstance(statement, Nest):
            used.update(statement.targets)
    unused = [name for name in g.names_of(lambda value: True, any_error=True) if name not in used]
    used_blocks = [name for name in g.names_of(lambda value: bool(value.shape), any_error=True) if name in used]
    chosen = unused[-10:] + g.choose.sample(used_blocks, min(2, len(used_blocks)))
    for name in chosen:
        for _ in range(4):
            if g.attempt(lambda g, name=name: store(g, name)):  # type: ignore[misc]
                break
