"""Sorting in Inductor's kernels, with a sorting network that is a loop.

Inductor unrolls its network, on a block with as many dimensions as a row's length has bits, and moves values and their
indices. Here a step is a loop iteration, as in ``blockdsl.language.sort``: the rows become columns, so that compared
elements are in different rows. The network sorts indices, by keys that compare as the values do; for values of up to 32
bits, key and index are combined in a number of twice the key's bits. All these numbers differ, so any network is
stable.
"""

# mypy: ignore-errors

from __future__ import annotations

import triton
import triton.language as tl

_INDUCTORS = "triton_helpers.sort_with_index("
_OURS = "sorting.sort_with_index("
_IMPORT = "from blockdsl.torch_compile import sorting\n"


def redirected(code: str) -> str:
    """Returns the text of a kernel, with Inductor's sort replaced by ``sort_with_index``."""
    return _IMPORT + code.replace(_INDUCTORS, _OURS) if _INDUCTORS in code else code


@triton.jit
def _ordered(x, descending: tl.constexpr):
    """Returns signed integers of 16, 32 or 64 bits that compare as the values do, with NaN highest and equal zeros."""
    if x.dtype.is_floating():
        wide = x if x.dtype == tl.float64 else x.to(tl.float32)
        wide = tl.where(wide == 0, tl.zeros_like(wide), wide)
        bits = wide.to(tl.int64 if x.dtype == tl.float64 else tl.int32, bitcast=True)
        sign: tl.constexpr = 63 if x.dtype == tl.float64 else 31
        magnitude: tl.constexpr = (1 << sign) - 1
        key = tl.where(wide != wide, magnitude, bits ^ ((bits >> sign) & magnitude)).to(bits.dtype)
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
def _is_upper(line, phase, bit):
    """Returns whether an element is in the position of the larger one of two compared elements."""
    return (((line >> phase) ^ (line >> bit)) & 1) == 1


@triton.jit
def _sorted(y, bits: tl.constexpr):
    """Sorts the columns of a matrix with ``2 ** bits`` rows."""
    line = tl.arange(0, 2**bits)[:, None]
    one = tl.full((), 1, tl.int32)
    for phase in range(1, bits + 1):
        for step in range(phase):
            bit = phase - 1 - step
            partner = tl.gather(y, tl.broadcast_to(line ^ (one << bit), y.shape), 0)
            y = tl.where((y > partner) ^ _is_upper(line, phase, bit), partner, y)
    return y


@triton.jit
def _sorted_by(key, index, bits: tl.constexpr):
    """Sorts columns by ``key``, and by ``index`` for equal keys. Returns the sorted ``index``."""
    line = tl.arange(0, 2**bits)[:, None]
    one = tl.full((), 1, tl.int32)
    for phase in range(1, bits + 1):
        for step in range(phase):
            bit = phase - 1 - step
            partners = tl.broadcast_to(line ^ (one << bit), key.shape)
            other_key, other_index = tl.gather(key, partners, 0), tl.gather(index, partners, 0)
            larger = (key > other_key) | ((key == other_key) & (index > other_index))
            moves = larger ^ _is_upper(line, phase, bit)
            key, index = tl.where(moves, other_key, key), tl.where(moves, other_index, index)
    return index


@triton.jit
def sort_with_index(
    x, idxs, rnumel, dim: tl.constexpr = None, stable: tl.constexpr = False, descending: tl.constexpr = False
):
    """Sorts along the last dimension, as Inductor's function of that name. Returns the values and their indices.

    Args:
        x: A block of numbers.
        idxs: Indices in a row, from 0 on, of a shape that can be broadcast to that of ``x``.
        rnumel: The number of valid elements of a row, None for all. Other elements are sorted to the end.
        dim: The last dimension, or None for it.
        stable: Ignored: the order is always stable.
        descending: Whether the order is descending, with NaN first.
    """
    x, idxs = tl.broadcast(x, idxs)
    length: tl.constexpr = x.shape[len(x.shape) - 1]
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "only the last dimension can be sorted")
    bits: tl.constexpr = triton.language.standard._log2(length)
    rows = tl.reshape(x, (x.numel // length, length))
    index = tl.trans(tl.reshape(idxs, rows.shape).to(tl.int32))
    key = _ordered(tl.trans(rows), descending)
    if rnumel is not None:
        maximum: tl.constexpr = (1 << (key.dtype.primitive_bitwidth - 1)) - 1
        key = tl.where(index < rnumel, key, maximum).to(key.dtype)
    if key.dtype == tl.int64:
        index = _sorted_by(key, index, bits)
    else:
        half: tl.constexpr = key.dtype.primitive_bitwidth
        packed_type: tl.constexpr = tl.int32 if half == 16 else tl.int64
        tl.static_assert(length <= 1 << half)
        packed = _sorted((key.to(packed_type) << half) | index.to(packed_type), bits)
        index = (packed & ((1 << half) - 1)).to(tl.int32)
    index = tl.trans(index)
    return tl.reshape(tl.gather(rows, index, 1), x.shape), tl.reshape(index.to(idxs.dtype), x.shape)
