"""Draws block pointers, and the functions that are written in the language itself: random numbers, sorting."""

from __future__ import annotations

from typing import Any

from .draw import Drawing, Literal, draws
from .elementwise import any_kind, integer, numeric

_SEEDS = (0, 1, 1234, -1, 2**31, 2**40 + 7, 2**64 - 1)


def _word(value: Any) -> bool:
    return integer(value) and value.dtype.primitive_bitwidth >= 32


def _seed(g: Drawing) -> Literal:
    return Literal(g.one_of(*_SEEDS))


@draws("randint rand randint4x rand4x", 1, nested=0.2)
def random_numbers(g: Drawing) -> Any:
    a, rounds = g.pick(integer), g.one_of("", "", ", n_rounds=7")
    if g.choose.random() < 0.3:
        return g.let(g.one_of("tl.randint4x", "tl.rand4x") + f"({{}}, {{}}{rounds})", _seed(g), a, targets=4)
    return g.let(g.one_of("tl.randint", "tl.rand") + f"({{}}, {{}}{rounds})", _seed(g), a)


@draws("philox philox_impl uint_to_uniform_float", 1.5, nested=0.2)
def random_words(g: Drawing) -> Any:
    a = g.pick(_word)
    kind = g.values[a].dtype
    form = g.one_of("tl.philox({}, {}, {}, {}, {}, 7)", "tl.philox_impl({}, {}, {}, {}, {}, {}, 5)", "uniform")
    if form == "uniform":
        return g.let("tl.uint_to_uniform_float({})", a)

    def same_type() -> str:
        return str(g.pick(lambda value: value.dtype == kind and value.shape == g.values[a].shape))

    if "impl" in form:
        words = [g.let(f"{{}}.to(tl.uint{kind.primitive_bitwidth})", word) for word in (a, same_type())]
        return g.let(form, *words, *[g.choose.choice(words) for _ in range(4)], targets=4)
    return g.let(form, _seed(g), a, *[same_type() for _ in range(3)], targets=4)


@draws("expect_zero", 0.2)
def expected_zeros(g: Drawing) -> Any:
    a = g.pick()
    return g.let("tl.expect_zero({}, {} == {})", a, a, a)


@draws("sort topk bitonic_merge", 1.5, nested=0.3)
def in_order(g: Drawing) -> Any:
    a = g.block(numeric)
    order = g.one_of("", ", descending=True", ", descending=False")
    if g.choose.random() < 0.4:
        # With Triton 3.6 some reductions of its result are wrong on a GPU: they count elements twice.
        smallest = 0 if g.device == "cpu" else g.values[a].shape[-1].bit_length() - 1
        k = Literal(2 ** g.choose.randint(smallest, g.values[a].shape[-1].bit_length() - 1))
        return g.let(g.one_of("tl.topk({}, {})", cpu=(f"tl.topk({{}}, {{}}{order})", f"{{}}.topk({{}}{order})")), a, k)
    return g.let(g.one_of("tl.sort", "tl.sort", "tl.bitonic_merge") + f"({{}}{order})", a)


@draws("make_block_ptr advance", 0.8)
def through_block_pointers(g: Drawing) -> Any:
    kind = any_kind(g)
    rows, columns = g.choose.randint(1, 9), g.choose.randint(1, 20)
    x = g.tensor(kind, rows * columns)
    height, width = 2 ** g.choose.randint(0, 3), 2 ** g.choose.randint(0, 4)
    across = g.one_of(f"({columns}, 1)", f"(1, {rows})")
    offsets = f"({g.choose.randint(-3, 4)}, {g.choose.randint(-3, 9)})"
    pointer = g.let_hidden(
        f"tl.make_block_ptr({{}}, ({rows}, {columns}), {across}, {offsets}, ({height}, {width}), (1, 0))", x
    )
    if g.choose.random() < 0.6:
        pointer = g.let_hidden(f"tl.advance({{}}, ({g.choose.randint(-2, 3)}, {g.choose.randint(-2, 9)}))", pointer)
    # Without padding, elements that are read out of bounds are undefined on a GPU.
    padding = g.one_of(', padding_option="zero"', cpu=("",))
    return g.let(f"tl.load({{}}, boundary_check=(0, 1){padding})", pointer)
