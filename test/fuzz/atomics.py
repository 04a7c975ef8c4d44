"""Draws atomic accesses, to addresses of one program or of all programs.

Equal addresses within a program are accessed in row-major order; the order of updates of shared ones does not matter
for integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bounds import IN_ANY_ORDER, SHARED
from .draw import Drawing, draws
from .memory import some_shape

_WIDE = ("int32", "int64", "uint32", "uint64")
_FLOATS = ("float32", "float64")
_UPDATED = {
    "add": (*_WIDE, *_FLOATS, "float16", "bfloat16"),
    **dict.fromkeys(("max", "min", "xchg"), (*_WIDE, *_FLOATS)),
    **dict.fromkeys(("and", "or", "xor"), _WIDE),
}
_ACCESSED = (*_UPDATED["add"], "int1", "int8", "int16", "uint8", "uint16")


def _addresses(g: Drawing, kind: str, *, repeated: bool) -> tuple[str, tuple[int, ...], str]:
    """Pointers to a program's own part of memory, their shape, and a value of a compatible shape."""
    shape: tuple[int, ...] = () if g.choose.random() < 0.25 else some_shape(g)
    count = max(int(np.prod(shape)), 1)
    span = g.one_of(1, 2, max(count // 2, 1), count) if repeated else count
    # Undefined results for NaN, of sums of two, are not drawn.
    recipe = g.one_of("small", "dyadic", "ids") if "float" in kind else None
    memory = g.tensor(kind, span * g.programs, stored=True, recipe=recipe)
    data = g.tensor(kind, count, recipe=recipe)
    indices = f"tl.arange(0, {count}).reshape({shape})" if shape else "0"
    value = g.let(f"tl.load({{}} + {indices})", data)
    pointers = g.let(f"{{}} + {{}} * {span} + {indices} % {span}", memory, g.pid, hidden=True)
    return pointers, shape, value


def _options(g: Drawing, shape: tuple[int, ...], words: tuple[str, ...], *, masked: bool = True) -> str:
    """Draws the optional arguments."""
    mask = ""
    if masked and g.choose.random() < 0.5:
        count = int(np.prod(shape))
        indices = f"tl.arange(0, {count}).reshape({shape})" if shape else "tl.full((), 0, tl.int32)"
        mask = ", mask=" + g.one_of(f"{indices} % 3 != 1", f"{indices} < {g.choose.randrange(count + 1)}")
    sem = g.one_of("", *(f', sem="{word}"' for word in words))
    return f"{mask}{sem}{g.one_of('', '', ', scope=' + repr(g.one_of('gpu', 'cta', 'sys')))}"


_ANY = ("relaxed", "acquire", "release", "acq_rel")


@draws("", 1.5)
def shared_by_programs(g: Drawing) -> None:
    """The previous value at an address depends on the order, so results are not used."""
    kind, shape = g.one_of(*_WIDE), () if g.choose.random() < 0.25 else some_shape(g)
    count = max(int(np.prod(shape)), 1)
    span = g.one_of(1, 3, max(count // 2, 1), count)
    memory = g.tensor(kind, span, stored=True, stem=SHARED)
    data = g.tensor(kind, count * g.programs)
    indices = f"tl.arange(0, {count}).reshape({shape})" if shape else "0"
    value = g.let(f"tl.load({{}} + {{}} * {count} + {indices})", data, g.pid)
    pointers = g.let(f"{{}} + ({{}} + {indices}) % {span}", memory, g.pid, hidden=True)
    g.do(f"tl.{g.one_of(*IN_ANY_ORDER)}({{}}, {{}}{_options(g, shape, _ANY)})", pointers, value)


@draws("atomic_add atomic_and atomic_or atomic_xor atomic_max atomic_min atomic_xchg", 2, nested=1.5)
def updated_atomically(g: Drawing) -> None:
    name = g.one_of(*_UPDATED)
    pointers, shape, value = _addresses(g, g.one_of(*_UPDATED[name]), repeated=True)
    form = f"tl.atomic_{name}({{}}, {{}}{_options(g, shape, _ANY)})"
    if g.choose.random() < 0.3:
        g.do(form, pointers, value)
    else:
        g.let(form, pointers, value)


@draws("atomic_cas", 0.8)
def exchanged(g: Drawing) -> Any:
    pointers, shape, value = _addresses(g, g.one_of(*_WIDE, *_FLOATS, "int16", "uint16", "float16"), repeated=True)
    options = _options(g, shape, _ANY, masked=False)
    if g.choose.random() < 0.6:
        return g.let(f"tl.atomic_cas({{}}, tl.load({{}}), {{}}{options})", pointers, pointers, value)
    return g.let(f"tl.atomic_cas({{}}, {g.choose.randint(0, 3)}, {{}}{options})", pointers, value)


@draws("atomic_load atomic_store", 1)
def accessed_atomically(g: Drawing) -> Any:
    pointers, shape, value = _addresses(g, g.one_of(*_ACCESSED), repeated=False)
    if g.choose.random() < 0.7:
        g.do(f"tl.atomic_store({{}}, {{}}{_options(g, shape, ('release', 'relaxed'))})", pointers, value)
    return g.let(f"tl.atomic_load({{}}{_options(g, shape, ('acquire', 'relaxed'))})", pointers)


@draws("atomic_poll", 0.6)
def polled(g: Drawing) -> Any:
    """Polls for the value that is in memory, or for any other value with a timeout."""
    pointers, shape, value = _addresses(g, g.one_of(*_WIDE, "int16", "uint16"), repeated=False)
    options = _options(g, shape, ("acquire", "relaxed"), masked=False)
    if g.choose.random() < 0.5:
        return g.let(f"tl.atomic_poll({{}}, tl.load({{}}){options})", pointers, pointers)
    return g.let(f"tl.atomic_poll({{}}, {{}}{options}, timeout_ns=1000)", pointers, value)
