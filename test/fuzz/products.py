"""Draws matmuls, and loops that add them up."""

from __future__ import annotations

from typing import Any

from .draw import MOST_ELEMENTS, Drawing, Literal, RejectedError, draws
from .elementwise import any_kind, converted, integer, numeric
from .flow import DEEPEST, iterations
from .program import Line, Nest
from .windows import store_in_a_window

SUMS = {"int8": "int32", "float64": "float64"}
"""The type of accumulators, if it is not float32."""


@draws("dot", 1.5)
def product(g: Drawing) -> Any:
    minimum = 32 if g.device == "cuda" else 1
    a = g.block(lambda value: numeric(value) and len(value.shape) == 2 and min(value.shape) >= minimum)
    m, k = g.values[a].shape
    b = g.block(
        lambda value: numeric(value) and len(value.shape) == 2 and k in value.shape and min(value.shape) >= minimum
    )
    if g.values[b].shape[0] != k:
        b = g.let("tl.trans({})", b)
    kind = g.one_of("int8", "float16", "bfloat16", "float32", "float64" if g.device == "cpu" else "float16")
    sides = []
    for side in (a, b):
        if integer(g.values[side]):
            side = g.let("{} & 7", side)
        side = converted(g, side, kind)
        sides.append(side)
    n = g.values[sides[1]].shape[1]
    out = "int32" if kind == "int8" else "float64" if kind == "float64" else "float32"
    accumulators = g.names_of(lambda value: value.shape == (m, n) and value.dtype.name.endswith(
        {"int32": "int32", "float32": "fp32", "float64": "fp64"}[out]))  # fmt: skip
    precise = g.one_of("", ', input_precision="ieee"') if kind == "float32" else ""
    if accumulators and g.choose.random() < 0.5:
        return g.let("tl.dot({}, {}, {}" + precise + ")", *sides, g.choose.choice(accumulators))
    return g.let("tl.dot({}, {}" + precise + ")", *sides)


@draws("dot_scaled", 1.5)
def scaled_product(g: Drawing) -> Any:
    """Operands made of bytes, which have any values; some are packed along the outer dimension."""
    # A scale applies to that many elements; the same K may be packed.
    sides, k = [], 0
    for side in ("lhs", "rhs"):
        form = g.one_of("e2m1", "e4m3", "e5m2")
        a = g.block(lambda value: integer(value) and len(value.shape) == 2 and 32 in value.shape)
        inner = 1 if side == "lhs" else 0
        if g.values[a].shape[inner] != 32:
            a = g.let("tl.trans({})", a)
        a = g.let("({} & 255).to(tl.uint8)", g.let("{}.to(tl.int32)", a))
        outer = g.values[a].shape[1 - inner]
        packed = form == "e2m1" and outer > 1 and g.choose.random() < 0.5
        depth = 32 if form != "e2m1" or packed else 64
        if k and depth != k:
            form, packed, depth = ("e5m2", False, 32) if k == 32 else ("e2m1", False, 64)
        k = depth
        rows = outer * 2 if packed else outer
        scale = None
        if g.choose.random() < 0.6:
            scale = g.let(f"(tl.arange(0, {rows * (k // 32)}) % 9 + 123).to(tl.uint8).reshape([{rows}, {k // 32}])")
        sides.append((a, scale, form, not packed))
    (a, a_scale, left, a_packs), (b, b_scale, right, b_packs) = sides
    text = f"tl.dot_scaled({{}}, {'None' if a_scale is None else '{}'}, {left!r}, {{}}, "
    text += f"{'None' if b_scale is None else '{}'}, {right!r}, lhs_k_pack={a_packs}, rhs_k_pack={b_packs})"
    return g.let(text, *(operand for operand in (a, a_scale, b, b_scale) if operand is not None))


@draws("", 1, nested=0.3)
def replaced(g: Drawing) -> None:
    """A loop that carries a block and replaces it by a matmul, from before the loop or of the iteration."""
    if g.depth >= DEEPEST:
        raise RejectedError
    replacement = product(g)
    kind, shape = g.kind(replacement)
    carried = g.let(f"tl.full({list(shape)}, {g.one_of(0, 1, 5)}, tl.{kind})")
    head, uses = iterations(g)
    initial = g.values[carried]
    nest = Nest(f"for {g.fresh('i')} in {head}:", uses, [], targets=[carried], kinds=[(kind, shape)])
    with g.nested(nest.body):
        first = g.evaluate(f"list({head.format(*uses)})[:1]")
        g.random_statements(g.choose.randint(0, 2), tries=5)
        value = replacement if g.choose.random() < 0.6 else product(g)
        if g.kind(value) != (kind, shape):
            raise RejectedError
        if g.device == "cuda":
            value = g.let("{} + 0", value)
        g.statements.append(Line("{0}", [value], [carried], [(kind, shape)]))
        g.values[carried] = g.values[value]
    if not first:
        g.values[carried] = initial
    g.statements.append(nest)


def factor(g: Drawing, kind: str, offsets: str, in_bounds: str | None, count: int) -> str:
    """A part of a matrix: from memory, or converted from small integers there."""
    stored = g.one_of(kind, kind, "int8") if kind != "float16" else kind
    x = g.tensor(stored, count, recipe="small")
    if in_bounds is None:
        value = g.let("tl.load({} + {})", x, offsets)
    else:
        value = g.let("tl.load({} + {}, mask={}, other=0)", x, offsets, in_bounds)
    return str(value if stored == kind else g.let("{}.to(tl.{})", value, Literal(kind)))


@draws("", 1.5, nested=0)
def summed(g: Drawing) -> None:
    """The product of two matrices, in blocks of their common dimension, and computations on the sums."""
    if g.in_function or g.depth:
        raise RejectedError
    # A tile of registers has up to a dozen rows.
    sizes = (32,) if g.device == "cuda" else (1, 2, 4, 8, 16, 16, 32, 32, 64)
    m, n, k = g.one_of(*sizes), g.one_of(*sizes), g.one_of(*sizes)
    if g.choose.random() < 0.4:  # Its tiles fit into its transposition.
        n = m
    if max(m * n, m * k, k * n) > MOST_ELEMENTS:
        raise RejectedError
    count = g.choose.randint(0, 3)
    depth = max(count * k - g.one_of(0, 0, 1, k // 2), 1)
    kind = g.one_of("int8", "float16", "bfloat16", "float32", cpu=("float64",))
    sums = g.let(f"tl.full([{m}, {n}], {g.one_of(0, 0, 0, 2)}, tl.{SUMS.get(kind, 'float32')})")
    initial, sides = g.values[sums], [g.let(f"tl.arange(0, {size})") for size in (m, n, k)]
    rows = sides[0]
    if g.choose.random() < 0.3:  # Offsets that are loaded from memory.
        rows = g.let(f"tl.load({{}} + {{}}) & {m - 1}", g.tensor("int32", m), rows)
    iteration, width = g.fresh("i"), g.scalar(depth)
    head, uses = g.one_of(
        (f"range({count})", []), ("range({0})", [g.scalar(count)]), (f"range(0, {{0}}, {k})", [width])
    )
    nest = Nest(f"for {iteration} in {head}:", uses, [], targets=[sums], kinds=[g.kind(sums)])
    with g.nested(nest.body):
        g.values[iteration] = g.evaluate("tl.to_tensor(0)")
        at = g.let("{} + {}" if width in uses else f"{{}} * {k} + {{}}", iteration, sides[2])
        in_bounds = g.let("{} < {}", at, width) if count * k != depth or g.choose.random() < 0.3 else None
        offsets = g.let(f"({{}} * {m} + {{}}[:, None]) * {depth} + {{}}[None, :]", g.pid, rows, at)
        lhs = factor(g, kind, offsets, in_bounds and g.let("{}[None, :]", in_bounds), depth * m * g.programs)
        offsets = g.let(
            g.one_of(f"{{}}[:, None] * {n} + {{}}[None, :]", f"{{}}[:, None] + {{}}[None, :] * {depth}"), at, sides[1]
        )
        rhs = factor(g, kind, offsets, in_bounds and g.let("{}[:, None]", in_bounds), depth * n)
        precise = ', input_precision="ieee"' if kind == "float32" else ""
        form = g.one_of("tl.dot({1}, {2}, {0}%s)", "tl.dot({1}, {2}, {0}%s)", "{0} + tl.dot({1}, {2}%s)") % precise
        g.statements.append(Line(form, [sums, lhs, rhs], [sums], [g.kind(sums)]))
        g.values[sums] = g.evaluate(form.format(sums, lhs, rhs))
    if not count and width not in uses:
        g.values[sums] = initial
    g.statements.append(nest)
    result = sums
    for _ in range(g.choose.randint(0, 2)):
        form = g.one_of("{} * 2", "tl.maximum({}, 0)", "{} + {}", "{}.to(tl.float16)", "{} + 1", cpu=("-{}",))
        result = g.let(form, result, g.like(result, numeric))
    if g.choose.random() < 0.5:
        result = moved(g, result)
    if g.choose.random() < 0.3:
        copied(g, list(map(str, sides[:2])), m * n)
    if g.choose.random() < 0.5:  # Otherwise a later statement uses it, at the latest the final store of all values.
        store_in_a_window(g, result)


def moved(g: Drawing, block: str) -> str:
    """Permutes the elements, in a block of the same size."""
    rows, columns = g.values[block].shape
    form = g.one_of(
        "tl.trans({})", f"tl.trans({{}}).reshape([{rows}, {columns}])", f"tl.trans({{}}.reshape([{columns}, {rows}]))",
        "{} + tl.trans({})" if rows == columns else "tl.flip({}, 0)",
    )  # fmt: skip
    return str(g.let(form, block, block))


def copied(g: Drawing, sides: list[str], size: int) -> None:
    """A block that is copied whole, among other uses of its sides."""
    kind = any_kind(g)
    offsets = g.let(f"{{}} * {size} + {{}}[:, None] * {g.values[sides[1]].shape[0]} + {{}}[None, :]", g.pid, *sides)
    value = g.let("tl.load({} + {})", g.tensor(kind, size * g.programs), offsets)
    g.do("tl.store({} + {}, {})", g.tensor(kind, size * g.programs, stored=True, recipe=None), offsets, value)
