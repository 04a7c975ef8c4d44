"""Sorting, by Batcher's bitonic network: ``sort``, ``topk``, ``bitonic_merge``.

The comparisons, including the result for equal elements and NaN, are those of Triton. The layout differs: compared
elements are in different rows of a matrix, so that a step needs no shuffles within vectors. Many steps are a loop
instead of unrolled code, so that the compile time does not depend on the length of rows.
"""

from __future__ import annotations

from typing import Any

from .assemble import gather
from .constexpr import constexpr_function
from .creation import arange, to_tensor
from .debug import static_assert
from .op import library
from .program import range, static_range
from .reductions import max, min
from .select import where
from .shape import broadcast_to, permute, reshape
from .tensor import tensor

_LANES = 16
"""The least number of columns of the matrix, if the block has fewer rows: the lanes of a vector of 32-bit elements."""
_UNROLLED = 6
"""The most steps that are unrolled: then the compared lanes are constants, and no loop-carried values are copied."""


@constexpr_function
def _log2(n: int) -> int:
    return n.bit_length() - 1


@constexpr_function
def _is_unrolled(first: int, last: int) -> bool:
    return (last * (last + 1) - first * (first - 1)) // 2 <= _UNROLLED


@constexpr_function
def _outer(shape: tuple[int, ...]) -> int:
    """Returns the number of rows, which are sorted independently."""
    count = 1
    for extent in shape[:-1]:
        count *= extent
    return count


@constexpr_function
def _parts(outer: int, longest: int) -> int:
    """Returns the number of parts of a row in adjacent columns that fill vectors: a power of two up to ``longest``."""
    parts = 1
    while outer * parts < _LANES and parts < longest:
        parts *= 2
    return parts


@constexpr_function
def _is_last(dim: int | None, rank: int) -> bool:
    return rank > 0 and dim in (None, rank - 1, -1)


@constexpr_function
def _is_count(k: int, n: int) -> bool:
    return isinstance(k, int) and 0 < k <= n and k & (k - 1) == 0


@library()
def _columns(x: Any, outer: int, parts: int) -> Any:
    """Returns the matrix: element ``i`` of a row is in line ``i % lines``, in the column of its part ``i // lines``."""
    lines = x.numel // (outer * parts)
    return reshape(permute(reshape(x, (outer, parts, lines)), (2, 0, 1)), (lines, outer * parts))


@library()
def _rows(y: Any, outer: int, parts: int) -> Any:
    """Returns the rows of a matrix: the inverse of ``_columns``."""
    lines = y.shape[0]
    return reshape(permute(reshape(y, (lines, outer, parts)), (1, 2, 0)), (outer, parts * lines))


@library()
def _exchanged(y: Any, indices: Any, axis: int, later: Any) -> Any:
    """Returns the larger of each element and its partner where ``later`` is true, else the smaller."""
    other = gather(y, broadcast_to(indices, y.shape), axis)
    return where((y > other) ^ later, other, y)


@library()
def _step(y: Any, index: Any, falls: Any, bit: Any, within_lines: bool) -> Any:
    """Performs one step of a merge: each element is compared with the one whose index differs only in ``bit``."""
    lines, columns = y.shape[0], y.shape[1]
    bits = _log2(lines)
    line, column = arange(0, lines)[:, None], arange(0, columns)[None, :]
    later = ((falls ^ (index >> bit)) & 1) == 1
    if within_lines:
        y = _exchanged(y, line ^ (to_tensor(1) << bit), 0, later)
    elif lines == 1:
        y = _exchanged(y, column ^ (to_tensor(1) << bit), 1, later)
    elif bit < bits:
        y = _exchanged(y, line ^ (to_tensor(1) << bit), 0, later)
    else:
        y = _exchanged(y, column ^ (to_tensor(1) << (bit - bits)), 1, later)
    return y


@library()
def _merged(y: Any, first: Any, last: Any, parts: int, descending: bool) -> Any:
    """Merges runs of ``2 ** (first - 1)`` elements to runs of ``2 ** last``, alternately ascending and descending.

    A run that is a whole row is descending if ``descending``.
    """
    lines, columns = y.shape[0], y.shape[1]
    bits = _log2(lines)
    # A bit above a row's indices determines the order of the last run.
    index = arange(0, lines)[:, None] + (lines * parts if descending else 0)
    if parts > 1 and last >= bits:
        index += (arange(0, columns)[None, :] & (parts - 1)) * lines
    if _is_unrolled(first, last):
        for phase in static_range(first, last + 1):
            for step in static_range(phase):
                y = _step(y, index, index >> phase, phase - 1 - step, last <= bits)
    else:
        for phase in range(first, last + 1):  # type: ignore[assignment]
            falls = index >> phase
            for step in range(phase):  # type: ignore[assignment]
                y = _step(y, index, falls, phase - 1 - step, last <= bits)
    return y


@library()
def _one(x: Any, descending: bool) -> Any:
    """Returns the first element of each sorted row, without a network. As in Triton it has the type of ``tl.max``."""
    last = len(x.shape) - 1
    return max(x, last, keep_dims=True) if descending else min(x, last, keep_dims=True)


@library(method=True)
def sort(x: tensor, dim: int | None = None, descending: bool = False) -> Any:
    """A block sorted along its last dimension.

    The network is Batcher's bitonic one, with Triton's comparisons: if a row contains NaN, or zeros of both signs, the
    result may contain some elements twice and others not at all. Rows of one element are results of ``tl.max`` and
    ``tl.min``: float32 or int32 for types with fewer than 32 bits.

    Args:
        x: A block of numbers of any type.
        dim: The last dimension, or None for it.
        descending: Whether the order is descending; a compile-time value.

    Raises:
        CompileTimeAssertionError: ``dim`` is not the last dimension, or ``x`` is a scalar.

    Example:
        ranked = tl.sort(x, descending=True)
    """
    static_assert(_is_last(dim, len(x.shape)), f"sort expects the last dimension of {x.shape}, got {dim}")
    n = x.shape[-1]
    if n == 1:
        return _one(x, descending)
    outer = _outer(x.shape)
    parts = _parts(outer, n)
    y = _merged(_columns(x, outer, parts), 1, _log2(n), parts, descending)
    return reshape(_rows(y, outer, parts), x.shape)


@library(method=True)
def bitonic_merge(x: tensor, dim: int | None = None, descending: bool = False) -> Any:
    """Sorts a block along its last dimension whose rows are bitonic: first ascending and then descending, or reversed.

    Args:
        x: A block of numbers with bitonic rows, such as an ascending half followed by a flipped ascending half.
        dim: The last dimension, or None for it.
        descending: Whether the order is descending; a compile-time value.

    Raises:
        CompileTimeAssertionError: ``dim`` is not the last dimension, or ``x`` is a scalar.

    Example:
        merged = tl.bitonic_merge(tl.cat(rising, tl.flip(other_rising)))
    """
    static_assert(_is_last(dim, len(x.shape)), f"bitonic_merge expects the last dimension of {x.shape}, got {dim}")
    n = x.shape[-1]
    outer = _outer(x.shape)
    parts = _parts(outer, n)
    y = _merged(_columns(x, outer, parts), _log2(n), _log2(n), parts, descending)
    return reshape(_rows(y, outer, parts), x.shape)


@library()
def _halved(y: Any, k: int, parts: int, descending: bool) -> Any:
    """Returns the larger or the smaller elements of each pair of adjacent runs of ``k``."""
    lines, columns = y.shape[0], y.shape[1]
    if lines > k:
        pairs = reshape(y, (lines // (2 * k), 2, k, columns))
        return reshape(max(pairs, 1) if descending else min(pairs, 1), (lines // 2, columns))
    pairs = reshape(y, (lines * columns // 2, 2))
    return reshape(max(pairs, 1) if descending else min(pairs, 1), (lines, columns // 2))


@library(method=True)
def topk(x: tensor, k: int, dim: int | None = None, descending: bool = True) -> Any:
    """The ``k`` largest elements of each row, sorted, or with ``descending=False`` the ``k`` smallest.

    Runs of ``k`` are sorted, and merged by ``tl.max``: as in Triton the result is float32 or int32 for types with fewer
    than 32 bits, unless ``k`` is the whole row and more than 1.

    Args:
        x: A block of numbers.
        k: A power of two up to the extent of the last dimension.
        dim: The last dimension, or None for it.
        descending: Whether to return the largest elements in descending order, or the smallest in ascending order.

    Raises:
        CompileTimeAssertionError: ``dim`` is not the last dimension, ``x`` is a scalar, or ``k`` is invalid.

    Example:
        best = tl.topk(scores, 8)
    """
    static_assert(_is_last(dim, len(x.shape)), f"topk expects the last dimension of {x.shape}, got {dim}")
    n = x.shape[-1]
    static_assert(_is_count(k, n), f"topk expects a power of two up to {n}, got {k}")
    if k == 1:
        return _one(x, descending)
    outer = _outer(x.shape)
    parts = _parts(outer, n // k)
    y = _merged(_columns(x, outer, parts), 1, _log2(k), parts, descending)
    for _ in static_range(_log2(n // k)):
        y = _halved(y, k, parts, descending)
        y = _merged(y, _log2(k), _log2(k), y.shape[1] // outer, descending)
    return reshape(_rows(y, outer, 1), (*x.shape[:-1], k))
