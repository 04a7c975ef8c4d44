"""Draws ops that move elements: reshapes, transposes, joins, gathers."""

from __future__ import annotations

from typing import Any

from .draw import Drawing, Literal, RejectedError, draws
from .elementwise import boolean, integer


def factored(g: Drawing, count: int) -> tuple[int, ...]:
    """Returns a shape with that many elements, a power of two, in up to four dimensions."""
    rank, remaining, sizes = g.choose.choice((1, 2, 2, 3, 4)), count.bit_length() - 1, []
    for _ in range(rank - 1):
        exponent = g.choose.randint(0, remaining)
        sizes.append(1 << exponent)
        remaining -= exponent
    sizes.append(1 << remaining)
    g.choose.shuffle(sizes)
    return tuple(sizes)


@draws("reshape view ravel", 3)
def reshaped(g: Drawing) -> Any:
    a = g.block(any_error=True)
    if g.choose.random() < 0.2:
        return g.let("tl.ravel({})", a)
    shape = factored(g, g.values[a].numel)
    return g.let(g.one_of("tl.reshape({}, {})", "tl.reshape({}, {})", "{}.reshape({})", cpu=("tl.view({}, {})",)), a,
                 Literal(shape))  # fmt: skip


@draws("trans permute", 3)
def transposed(g: Drawing) -> Any:
    a = g.block(lambda value: len(value.shape) > 1, any_error=True)
    rank = len(g.values[a].shape)
    order = list(range(rank))
    g.choose.shuffle(order)
    if rank == 2 and g.choose.random() < 0.4:
        return g.let(g.one_of("tl.trans({})", "{}.T"), a)
    return g.let(g.one_of("tl.permute({}, {})", "tl.trans({}, {})"), a, Literal(tuple(order)))


@draws("expand_dims unsqueeze squeeze", 2)
def axes(g: Drawing) -> Any:
    a = g.block(lambda value: len(value.shape) < 4, any_error=True)
    shape = g.values[a].shape
    if 1 in shape and g.choose.random() < 0.5:
        if g.device == "cuda":
            raise RejectedError
        return g.let("tl.squeeze({}, {})", a, Literal(shape.index(1)))
    if len(shape) == 1 and g.choose.random() < 0.5:
        return g.let(g.one_of("{}[:, None]", "{}[None, :]"), a)
    axis = g.choose.randint(0, len(shape))
    return g.let(g.one_of("tl.expand_dims({}, {})", cpu=("tl.unsqueeze({}, {})",)), a, Literal(axis))


@draws("broadcast broadcast_to", 2)
def broadcasts(g: Drawing) -> Any:
    a = g.pick(lambda value: not value.shape or 1 in value.shape, any_error=True)
    if g.choose.random() < 0.3:
        return g.let("tl.broadcast({}, {})", a, g.block(), targets=2)
    shape = g.values[a].shape or (1,)
    if 1 not in shape:
        raise RejectedError
    larger = tuple(g.one_of(*g.sizes, 2, 4) if size == 1 and g.choose.random() < 0.8 else size for size in shape)
    return g.let(g.one_of("tl.broadcast_to({}, {})", "{}.broadcast_to({})"), a, Literal(larger))


@draws("join interleave cat", 2.5)
def joined(g: Drawing) -> Any:
    a = g.pick(lambda value: len(value.shape) < 4, any_error=True)
    kind, shape = g.values[a].dtype, g.values[a].shape
    b = g.pick(lambda value: value.dtype == kind and value.shape == shape, any_error=True)
    if shape and g.device == "cpu" and g.choose.random() < 0.4:
        return g.let("tl.cat({}, {}, dim={})", a, b, Literal(g.choose.randrange(len(shape))))
    return g.let(g.one_of("tl.join({}, {})", "tl.interleave({}, {})"), a, b)


@draws("split", 1.5)
def parted(g: Drawing) -> Any:
    a = g.block(lambda value: value.numel > 1, any_error=True)
    shape = g.values[a].shape
    if shape[-1] != 2:
        a = g.let("tl.reshape({}, {})", a, Literal((g.values[a].numel // 2, 2)))
    return g.let(g.one_of("tl.split({})", "{}.split()"), a, targets=2)


@draws("sum", 1.5)
def picked(g: Drawing) -> Any:
    """Selects one of each two elements along a dimension, as sorting networks do, or nearly so, at both indices."""
    a = g.block(lambda value: integer(value) and value.numel > 1)
    shape, half = g.values[a].shape, g.values[a].numel // 2
    columns = 1 << g.choose.randrange(half.bit_length())
    pairs = g.let("tl.reshape({}, {})", a, Literal((half // columns, 2, columns)))
    weight_vector = g.one_of(
        "tl.arange(0, 2)", "1 - tl.arange(0, 2)", "tl.arange(0, 2) ^ 1", "tl.arange(1, 3)", "tl.arange(0, 2) - 1"
    )
    weights = f"({weight_vector})[None, :, None]"
    if g.choose.random() < 0.5:
        weights += ".to({}.dtype)"
    selected = g.let(f"tl.sum({{}} * {weights}, 1)", *[pairs] * (1 + weights.count("{}")))
    if g.choose.random() < 0.5:
        return selected
    repeated = g.let("tl.broadcast_to({}[:, None, :], {})", selected, Literal((half // columns, 2, columns)))
    return g.let("tl.reshape({}, {})", repeated, Literal(shape))


@draws("flip", 2)
def flipped(g: Drawing) -> Any:
    a = g.block(any_error=True)
    axis = g.choose.randrange(len(g.values[a].shape))
    return g.let(g.one_of("tl.flip({}, {})", "{}.flip({})"), a, Literal(axis))


@draws("gather", 3)
def gathered(g: Drawing) -> Any:
    a = g.block(any_error=True)
    shape = g.values[a].shape
    axis = g.choose.randrange(len(shape))

    def fits(value: Any) -> bool:
        return integer(value) and len(value.shape) == len(shape) and all(
            x == y or at == axis for at, (x, y) in enumerate(zip(value.shape, shape, strict=True)))  # fmt: skip

    index = g.let("({} & {}).to(tl.int32)", g.block(fits), Literal(shape[axis] - 1))
    return g.let("tl.gather({}, {}, {})", a, index, Literal(axis))


@draws("histogram", 1)
def counted(g: Drawing) -> Any:
    a = g.block(lambda value: integer(value) and len(value.shape) == 1)
    bins = g.one_of(2, 8, 16, 32, cpu=(1, 256))
    if g.device == "cuda":
        # Elements outside of all bins are undefined there, and blocks of fewer elements than threads are counted
        # repeatedly.
        if g.values[a].numel < 128:
            raise RejectedError
        a = g.let("({} & {}).to(tl.int32)", a, Literal(bins - 1))
    elif g.choose.random() < 0.5:
        a = g.let("({} & {}).to(tl.int32)", a, Literal(bins * 2 - 1))
    shape = g.values[a].shape
    if g.choose.random() < 0.4:
        mask = g.pick(lambda value: boolean(value) and value.shape == shape)
        return g.let("tl.histogram({}, {}, mask={})", a, Literal(bins), mask)
    return g.let("tl.histogram({}, {})", a, Literal(bins))


@draws("swizzle2d next_power_of_2", 0.4)
def swizzled(g: Drawing) -> Any:
    a = g.pick(lambda value: value.dtype.is_int32())
    b = g.like(a, lambda value: value.dtype.is_int32())
    height = g.one_of("4", cpu=("tl.next_power_of_2(3)",))
    return g.let(f"tl.swizzle2d({{}} & 7, {{}} & 3, 8, {height}, {{}})", a, b, Literal(g.one_of(1, 2, 3)), targets=2)
