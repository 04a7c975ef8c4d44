"""Sorting, by Batcher's bitonic network: ``sort``, ``topk``, ``bitonic_merge``.

Which element meets which, and who stays where of two that are equal or of which one is NaN, is as in Triton. How the
network is laid out is not: elements that meet lie in different rows of a matrix, so that a step takes whole vectors and
moves nothing within them, and where there are many steps they are turns of a loop, so that long rows take no longer to
compile.
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
"""Columns of the matrix, where a block has no more rows of its own: the lanes of a vector of 32 bits."""
_UNROLLED = 6
"""Up to how many steps are code of their own: which lanes meet is known then, and no turn copies what it carries."""


@constexpr_function
def _log2(n: int) -> int:
    return n.bit_length() - 1


@constexpr_function
def _is_unrolled(first: int, last: int) -> bool:
    return (last * (last + 1) - first * (first - 1)) // 2 <= _UNROLLED


@constexpr_function
def _outer(shape: tuple[int, ...]) -> int:
    """How many rows are sorted, each by itself."""
    count = 1
    for extent in shape[:-1]:
        count *= extent
    return count


@constexpr_function
def _parts(outer: int, longest: int) -> int:
    """Into how many parts, side by side, a row is cut so that vectors are full: a power of two up to ``longest``."""
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
    """The matrix: element ``i`` of a row is in line ``i % lines``, in the column of the row's part ``i // lines``."""
    lines = x.numel // (outer * parts)
    return reshape(permute(reshape(x, (outer, parts, lines)), (2, 0, 1)), (lines, outer * parts))


@library()
def _rows(y: Any, outer: int, parts: int) -> Any:
    """The rows of a matrix, one after the other."""
    lines = y.shape[0]
    return reshape(permute(reshape(y, (lines, outer, parts)), (1, 2, 0)), (outer, parts * lines))


@library()
def _exchanged(y: Any, places: Any, axis: int, later: Any) -> Any:
    """Each element, or the one it meets: the smaller where ``later`` is false."""
    other = gather(y, broadcast_to(places, y.shape), axis)
    return where((y > other) ^ later, other, y)


@library()
def _step(y: Any, index: Any, falls: Any, bit: Any, within_lines: bool) -> Any:
    """One step of a merge: each element meets the one of its row whose index differs in ``bit`` alone."""
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
    """Merges runs of ``2 ** (first - 1)`` elements to runs of ``2 ** last``, which rise and fall by turns.

    A run that is a whole row falls if ``descending``.
    """
    lines, columns = y.shape[0], y.shape[1]
    bits = _log2(lines)
    # The bit above the highest of a row's indices turns the last run.
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
    """The first of each row in order, which takes no network: in Triton, too, it has the type of ``tl.max``."""
    last = len(x.shape) - 1
    return max(x, last, keep_dims=True) if descending else min(x, last, keep_dims=True)


@library(method=True)
def sort(x: tensor, dim: int | None = None, descending: bool = False) -> Any:
    """A block whose elements are in order along its last dimension.

    The network is Batcher's bitonic one, with Triton's choices: where a row holds NaN, or zeros of both signs, the
    result is what the network makes of them, some elements twice and others not at all. Rows of one element are those
    of ``tl.max`` and ``tl.min``: of what has fewer than 32 bits, float32 or int32.

    Args:
        x: A block of numbers of any type.
        dim: The last dimension, or None for it.
        descending: Whether the largest comes first; known when the kernel is compiled.

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
    """A block in order along its last dimension, where each row rose first and then fell, or the other way round.

    Args:
        x: A block of numbers whose rows are such, for one: ascending halves of which the second is turned round.
        dim: The last dimension, or None for it.
        descending: Whether the largest comes first; known when the kernel is compiled.

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
    """Of each two runs of ``k`` that lie side by side, the larger elements, or the smaller."""
    lines, columns = y.shape[0], y.shape[1]
    if lines > k:
        pairs = reshape(y, (lines // (2 * k), 2, k, columns))
        return reshape(max(pairs, 1) if descending else min(pairs, 1), (lines // 2, columns))
    pairs = reshape(y, (lines * columns // 2, 2))
    return reshape(max(pairs, 1) if descending else min(pairs, 1), (lines, columns // 2))


@library(method=True)
def topk(x: tensor, k: int, dim: int | None = None, descending: bool = True) -> Any:
    """The ``k`` largest elements of each row, in order, or with ``descending=False`` the ``k`` smallest.

    Runs of ``k`` are sorted, and merged by ``tl.max``: of what has fewer than 32 bits the result is, as in Triton,
    float32 or int32, unless ``k`` is the whole row and more than 1.

    Args:
        x: A block of numbers.
        k: How many: a power of two up to the extent of the last dimension.
        dim: The last dimension, or None for it.
        descending: The largest, beginning with the largest; or the smallest, beginning with the smallest.

    Raises:
        CompileTimeAssertionError: ``dim`` is not the last dimension, ``x`` is a scalar, or ``k`` is not such a number.

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
