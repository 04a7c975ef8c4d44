"""Sorting in the kernels that Inductor writes: a network that is a loop, in place of Inductor's.

Inductor's is code of its own for each step, on a block with as many dimensions as a row's length has bits, and moves
values and their places. Here a step is a turn of a loop, as in ``blockdsl.language.sort``: the rows become columns, so
that elements which meet lie in different lines. What is sorted are places, under keys that compare as the values do;
where a value has 32 bits or fewer, key and place are one number of twice the key's bits. No two are alike, so any
network gives the stable order.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl

_INDUCTORS = "triton_helpers.sort_with_index("
_OURS = "sorting.sort_with_index("
_IMPORT = "from blockdsl.torch_compile import sorting\n"


def redirected(code: str) -> str:
    """The text of a kernel, sorting with the network here if it sorts."""
    return _IMPORT + code.replace(_INDUCTORS, _OURS) if _INDUCTORS in code else code


@triton.jit
def _ordered(x, descending: tl.constexpr):
    """Signed integers that compare as the values do, NaN highest and zeros alike, of 16, 32 or 64 bits."""
    if x.dtype.is_floating():
        wide = x if x.dtype == tl.float64 else x.to(tl.float32)
        wide = tl.where(wide == 0, tl.zeros_like(wide), wide)
        bits = wide.to(tl.int64 if x.dtype == tl.float64 else tl.int32, bitcast=True)
        sign: tl.constexpr = 63 if x.dtype == tl.float64 else 31
        most: tl.constexpr = (1 << sign) - 1
        key = tl.where(wide != wide, most, bits ^ ((bits >> sign) & most)).to(bits.dtype)
    elif x.dtype == tl.uint64:
        key = (x ^ (1 << 63)).to(tl.int64, bitcast=True)
    elif x.dtype == tl.uint32:
        key = (x ^ (1 << 31)).to(tl.int32, bitcast=True)
    elif x.dtype == tl.int64 or x.dtype == tl.int32:
        key = x
    elif x.dtype == tl.uint16:
        key = (x ^ (1 << 15)).to(tl.int16, bitcast=True)
    else:
        key = x.to(tl.int16)
    return ~key if descending else key


@triton.jit
def _later(line, phase, bit):
    """Whether an element stays where the larger of the two that meet goes."""
    return (((line >> phase) ^ (line >> bit)) & 1) == 1


@triton.jit
def _sorted(y, bits: tl.constexpr):
    """The columns of a matrix with ``2 ** bits`` lines in order."""
    line = tl.arange(0, 2**bits)[:, None]
    one = tl.full((), 1, tl.int32)
    for phase in range(1, bits + 1):
        for step in range(phase):
            bit = phase - 1 - step
            other = tl.gather(y, tl.broadcast_to(line ^ (one << bit), y.shape), 0)
            y = tl.where((y > other) ^ _later(line, phase, bit), other, y)
    return y


@triton.jit
def _sorted_by(key, place, bits: tl.constexpr):
    """The same by ``key``, and by ``place`` where keys are equal. Returns the places."""
    line = tl.arange(0, 2**bits)[:, None]
    one = tl.full((), 1, tl.int32)
    for phase in range(1, bits + 1):
        for step in range(phase):
            bit = phase - 1 - step
            meets = tl.broadcast_to(line ^ (one << bit), key.shape)
            other_key, other_place = tl.gather(key, meets, 0), tl.gather(place, meets, 0)
            larger = (key > other_key) | ((key == other_key) & (place > other_place))
            moves = larger ^ _later(line, phase, bit)
            key, place = tl.where(moves, other_key, key), tl.where(moves, other_place, place)
    return place


@triton.jit
def sort_with_index(
    x, idxs, rnumel, dim: tl.constexpr = None, stable: tl.constexpr = False, descending: tl.constexpr = False
):
    """What Inductor's function of that name gives: values in order along the last dimension, and their places.

    Args:
        x: A block of numbers.
        idxs: Places in a row, from 0 on, of the same shape or one that it is broadcast to.
        rnumel: How many elements of a row count, None for all. The others come last.
        dim: The last dimension, or None for it.
        stable: Passed over: the order is stable.
        descending: Whether the largest comes first, with NaN before it.
    """
    x, idxs = tl.broadcast(x, idxs)
    length: tl.constexpr = x.shape[len(x.shape) - 1]
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "only the last dimension can be sorted")
    bits: tl.constexpr = triton.language.standard._log2(length)
    rows = tl.reshape(x, (x.numel // length, length))
    place = tl.trans(tl.reshape(idxs, rows.shape).to(tl.int32))
    key = _ordered(tl.trans(rows), descending)
    if rnumel is not None:
        most: tl.constexpr = (1 << (key.dtype.primitive_bitwidth - 1)) - 1
        key = tl.where(place < rnumel, key, most).to(key.dtype)
    if key.dtype == tl.int64:
        place = _sorted_by(key, place, bits)
    else:
        half: tl.constexpr = key.dtype.primitive_bitwidth
        whole: tl.constexpr = tl.int32 if half == 16 else tl.int64
        tl.static_assert(length <= 1 << half)
        both = _sorted((key.to(whole) << half) | place.to(whole), bits)
        place = (both & ((1 << half) - 1)).to(tl.int32)
    place = tl.trans(place)
    return tl.reshape(tl.gather(rows, place, 1), x.shape), tl.reshape(place.to(idxs.dtype), x.shape)
