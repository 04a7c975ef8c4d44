"""Draws reductions and scans."""

from __future__ import annotations

from typing import Any

from .draw import Drawing, Literal, RejectedError, draws
from .elementwise import boolean, floating, integer, numeric
from .program import Function, Line

# name: parameters, result, element types. A name with "choose" computes nothing.
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
"""Associative, but not commutative: for scans only."""


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
        # Results for NaN depend on the order there.
        a = g.let("tl.where({} == {}, {}, {})", a, a, a, g.number(a))
    elif floating(g.values[a]) and g.choose.random() < 0.3:
        a = g.let('tl.where({} > {}, {}, float("nan"))', a, g.number(a), a)
    keep = g.one_of("", "", ", keep_dims=True")
    if g.choose.random() < 0.4:
        name, options = g.one_of("max", "min"), g.one_of("", "", ", return_indices_tie_break_left=False")
        return g.let(f"tl.{name}({{}}, {{}}, return_indices=True{options}{keep})", a, axis_of(g, a), targets=2)
    options = g.one_of("", "", ", tie_break_left=False")
    return g.let(f"tl.{g.one_of('argmax', 'argmin')}({{}}, {{}}{options}{keep})", a, axis_of(g, a))


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
    # With narrower types, the results of Triton 3.6 and 3.9 have different types.
    a = g.block(numeric if g.device == "cpu" else lambda value: numeric(value) and value.dtype.primitive_bitwidth >= 32)
    name = g.one_of("cumsum", "cumsum", "cumprod")
    _scannable(g, a, name)
    reverse = g.one_of("", ", reverse=True")
    return g.let(g.one_of(f"tl.{name}({{}}, {{}}{reverse})", f"{{}}.{name}({{}}{reverse})"), a, axis_of(g, a))


@draws("softmax", 0.3)
def softmaxed(g: Drawing) -> Any:
    a = g.block(floating)
    # Along other axes, Triton before 3.9 divides by the sums of other rows.
    axis = Literal(0) if g.device == "cuda" else axis_of(g, a)
    return g.let("tl.softmax({}.to(tl.float32), {})", a, axis)
