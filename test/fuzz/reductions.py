"""Draws reductions, scans and products."""

from __future__ import annotations

from typing import Any

from .draw import Drawing, Literal, RejectedError, draws
from .elementwise import boolean, floating, integer, numeric
from .program import Function, Line

# name: parameters, what it returns, what elements it takes. A name with "choose" computes nothing.
COMBINES = {
    "combine_sum": ("a, b", "a + b", 1, integer),
    "combine_product": ("a, b", "a * b", 1, integer),
    "combine_xor": ("a, b", "a ^ b", 1, integer),
    "combine_or": ("a, b", "a | b", 1, boolean),
    "choose_larger": ("a, b", "tl.maximum(a, b)", 1, numeric),
    "choose_smaller": ("a, b", "tl.where(a < b, a, b)", 1, integer),
    "choose_first": ("a, b", "a", 1, numeric),
    "choose_last": ("a, b", "b", 1, numeric),
    "combine_linear": ("a1, b1, a2, b2", "a1 * a2, b1 * a2 + b2", 2, integer),
    "choose_segment": ("f1, x1, f2, x2", "f1 | f2, tl.where(f2 != 0, x2, x1)", 2, integer),
    "combine_range": ("a1, b1, a2, b2", "tl.minimum(a1, a2), tl.maximum(b1, b2)", 2, integer),
}
ORDERED = ("combine_linear", "choose_segment", "choose_first", "choose_last")
"""Associative, not commutative: for scans alone."""


def combining(g: Drawing, name: str) -> Literal:
    """A combine function among the program's."""
    parameters, returned, _, _ = COMBINES[name]
    g.define(Function(name, parameters.split(", "), [], [Line(f"return {returned}")]))
    return Literal(name)


def axis_of(g: Drawing, name: str) -> Literal:
    rank = len(g.values[name].shape)
    return Literal(g.choose.randrange(rank) - g.one_of(0, 0, 0, rank))


@draws("sum max min xor_sum reduce_or", 6)
def reduced(g: Drawing) -> Any:
    a = g.block(numeric)
    name = g.one_of("sum", "sum", "max", "min", "xor_sum", "reduce_or")
    if name in ("xor_sum", "reduce_or") and floating(g.values[a]):
        raise RejectedError
    axis = axis_of(g, a) if name == "reduce_or" or g.choose.random() < 0.8 else Literal("None")
    keep = g.one_of("", "", ", keep_dims=True")
    return g.let(g.one_of(f"tl.{name}({{}}, {{}}{keep})", f"{{}}.{name}({{}}{keep})"), a, axis)


@draws("argmax argmin", 3)
def placed(g: Drawing) -> Any:
    a = g.block(floating if g.choose.random() < 0.5 else numeric)
    if floating(g.values[a]) and g.device == "cuda":
        # What is found beside NaN depends on the order there.
        a = g.let("tl.where({} == {}, {}, {})", a, a, a, g.number(a))
    elif floating(g.values[a]) and g.choose.random() < 0.3:
        a = g.let('tl.where({} > {}, {}, float("nan"))', a, g.number(a), a)
    keep = g.one_of("", "", ", keep_dims=True")
    if g.choose.random() < 0.4:
        name, more = g.one_of("max", "min"), g.one_of("", "", ", return_indices_tie_break_left=False")
        return g.let(f"tl.{name}({{}}, {{}}, return_indices=True{more}{keep})", a, axis_of(g, a), targets=2)
    more = g.one_of("", "", ", tie_break_left=False")
    return g.let(f"tl.{g.one_of('argmax', 'argmin')}({{}}, {{}}{more}{keep})", a, axis_of(g, a))


@draws("reduce", 2)
def folded(g: Drawing) -> Any:
    name = g.one_of(*[name for name in COMBINES if name not in ORDERED])
    return _combined(g, name, "tl.reduce({}, {}, {})")


@draws("associative_scan", 3)
def scanned(g: Drawing) -> Any:
    return _combined(g, g.one_of(*COMBINES), "tl.associative_scan({}, {}, {}" + g.one_of("", ", reverse=True") + ")")


def _scannable(g: Drawing, name: str, form: str) -> None:
    if g.device == "cuda" and "reduce" not in form and (len(g.values[name].shape) > 1 or g.values[name].numel < 128):
        raise RejectedError


def _combined(g: Drawing, name: str, form: str) -> Any:
    _, _, count, accept = COMBINES[name]
    a = g.block(accept)
    _scannable(g, a, form)
    if count == 1:
        return g.let(form, a, axis_of(g, a), combining(g, name))
    kind, shape = g.values[a].dtype, g.values[a].shape
    b = g.block(lambda value: accept(value) and value.dtype == kind and value.shape == shape)
    return g.let(form.replace("{}", "({}, {})", 1), a, b, axis_of(g, a), combining(g, name), targets=2)


@draws("cumsum cumprod", 4)
def running_sums(g: Drawing) -> Any:
    # Of narrower types, the results of Triton 3.6 and 3.9 have others.
    a = g.block(numeric if g.device == "cpu" else lambda value: numeric(value) and value.dtype.primitive_bitwidth >= 32)
    name = g.one_of("cumsum", "cumsum", "cumprod")
    _scannable(g, a, name)
    reverse = g.one_of("", ", reverse=True")
    return g.let(g.one_of(f"tl.{name}({{}}, {{}}{reverse})", f"{{}}.{name}({{}}{reverse})"), a, axis_of(g, a))


@draws("softmax", 0.3)
def softmaxed(g: Drawing) -> Any:
    a = g.block(floating)
    return g.let("tl.softmax({}.to(tl.float32), {})", a, axis_of(g, a))


@draws("dot", 1.5)
def product(g: Drawing) -> Any:
    least = 32 if g.device == "cuda" else 1
    a = g.block(lambda value: numeric(value) and len(value.shape) == 2 and min(value.shape) >= least)
    m, k = g.values[a].shape
    b = g.block(
        lambda value: numeric(value) and len(value.shape) == 2 and k in value.shape and min(value.shape) >= least
    )
    if g.values[b].shape[0] != k:
        b = g.let("tl.trans({})", b)
    kind = g.one_of("int8", "float16", "bfloat16", "float32", "float64" if g.device == "cpu" else "float16")
    sides = []
    for side in (a, b):
        if integer(g.values[side]) or kind == "int8":
            side = g.let("({} & 7).to(tl.{})", side, Literal(kind)) if integer(g.values[side]) else g.let(
                "{}.to(tl.{})", side, Literal(kind))  # fmt: skip
        else:
            side = g.let("{}.to(tl.{})", side, Literal(kind))
        sides.append(side)
    n = g.values[sides[1]].shape[1]
    out = "int32" if kind == "int8" else "float64" if kind == "float64" else "float32"
    accumulators = g.among(lambda value: value.shape == (m, n) and value.dtype.name.endswith(
        {"int32": "int32", "float32": "fp32", "float64": "fp64"}[out]))  # fmt: skip
    precise = g.one_of("", ', input_precision="ieee"') if kind == "float32" else ""
    if accumulators and g.choose.random() < 0.5:
        return g.let("tl.dot({}, {}, {}" + precise + ")", *sides, g.choose.choice(accumulators))
    return g.let("tl.dot({}, {}" + precise + ")", *sides)


@draws("dot_scaled", 1.5)
def scaled_product(g: Drawing) -> Any:
    """Factors made of bytes, whatever they stand for; some are packed along the outer dimension."""
    # A scale belongs to as many elements; the same K may be packed.
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
    return g.let(text, *(each for each in (a, a_scale, b, b_scale) if each is not None))
