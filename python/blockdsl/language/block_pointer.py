"""Block pointers: offsets of a block in an array, from which loads and stores compute addresses and masks.

Triton had them up to 3.8. They are values of the front end only: the dialect and the interpreter do not have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import MissingNameError, expects
from .cast import cast
from .constexpr import unwrap
from .creation import arange
from .elementwise import add, and_, greater_equal, less_than, mul
from .op import OPS, Emitter, Member, Mode, op
from .shape import as_tensor, broadcast_value, expand_dims
from .tensor import tensor
from .types import Type, block, dtype, int32, int64, pointer_type

METHODS = {"advance": "advance", "load": "load", "store": "store"}


class block_pointer(NamedTuple):  # noqa: N801 - as Triton's types are spelled
    """The result of ``tl.make_block_ptr``.

    Attributes:
        base: The pointer to the array's first element.
        extents: The array's extents, int64 scalars.
        strides: Its strides in elements, int64 scalars.
        offsets: The indices of the block's first element, int32 scalars.
        type: A pointer to the block's type.

    Example:
        x = tl.load(p, boundary_check=(0, 1))
        p = tl.advance(p, (0, BLOCK_K))
    """

    # A named tuple, like a tensor descriptor.
    base: tensor
    extents: tuple[tensor, ...]
    strides: tuple[tensor, ...]
    offsets: tuple[tensor, ...]
    type: pointer_type

    @property
    def dtype(self) -> pointer_type:
        return self.type

    @property
    def block_type(self) -> Type:
        pointed: Any = self.type.element_ty
        assert isinstance(pointed, Type)
        return pointed

    def __getattr__(self, name: str) -> Any:
        raise MissingNameError(
            f"a block pointer has no attribute '{name}'", hint=f"it has {', '.join(METHODS)}, dtype and type"
        )

    def __repr__(self) -> str:
        return str(self.type)


for _name, _op in METHODS.items():
    setattr(block_pointer, _name, Member(OPS, _op))


def _listed(name: str, subject: str, values: Any, rank: int | None = None) -> list[Any]:
    given = unwrap(values)
    given = [unwrap(value) for value in given] if isinstance(given, (tuple, list)) else [given]
    expects(
        rank in (None, len(given)),
        f"'{name}' expects {rank} {subject}, one for each dimension, got {len(given)}",
    )
    return given


def _scalars(mode: Mode, name: str, subject: str, values: list[Any], kind: dtype) -> tuple[tensor, ...]:
    found = [as_tensor(mode, value) for value in values]
    for one in found:
        expects(
            not one.shape and isinstance(one.dtype, dtype) and one.dtype.is_int(),
            f"'{name}' expects {subject} that are integer scalars, got {one.type}",
        )
        expects(
            one.dtype.primitive_bitwidth <= kind.primitive_bitwidth,
            f"'{name}' expects {subject} of at most {kind.primitive_bitwidth} bits, got {one.type}",
            hint="convert with .to(tl.int32), or use pointers of tl.arange",
        )
    return tuple(mode.run(cast, (one, kind), {}) for one in found)


def _make_operands(
    mode: Mode, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
) -> tuple[Any, ...]:
    name = "make_block_ptr"
    expects(
        isinstance(base, tensor) and isinstance(base.dtype, pointer_type) and not base.shape,
        f"'{name}' expects base to be a pointer, got {getattr(base, 'type', base)!s}",
        hint="pass the array's first element: a pointer argument",
    )
    sizes = _listed(name, "extents of the block", block_shape)
    rank = len(sizes)
    extents = _scalars(mode, name, "extents", _listed(name, "extents", shape, rank), int64)
    steps = _scalars(mode, name, "strides", _listed(name, "strides", strides, rank), int64)
    starts = _scalars(mode, name, "offsets", _listed(name, "offsets", offsets, rank), int32)
    axes = _listed(name, "entries of order", order, rank)
    expects(sorted(axes) == list(range(rank)), f"'{name}' expects order to have each of {tuple(range(rank))} once, "
            f"got {tuple(axes)}")  # fmt: skip
    whole: Any = block(base.dtype.element_ty, sizes)
    return base, extents, steps, starts, pointer_type(whole, const=base.dtype.const), axes


@op(operands=_make_operands)
def make_block_ptr(
    base: tensor,
    shape: Sequence[Any],
    strides: Sequence[Any],
    offsets: Sequence[Any],
    block_shape: Sequence[int],
    order: Sequence[int],
) -> block_pointer:
    """A pointer to a block of an array in memory.

    Args:
        base: The pointer to the array's first element.
        shape: The array's extents.
        strides: The stride of each dimension in elements.
        offsets: The index of the block's first element in each dimension: integers of up to 32 bits.
        block_shape: Compile-time extents of the block, powers of two.
        order: The dimensions in ascending order of their strides. It has no effect.

    Raises:
        TypeMismatchError: ``base`` is no pointer, or a list has another length than ``block_shape``.

    Example:
        p = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (pid * 16, 0), (16, 32), (1, 0))
    """


def _made(e: Any, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any) -> block_pointer:
    return block_pointer(base, shape, strides, offsets, block_shape)


make_block_ptr.emit(_made)
make_block_ptr.reference(_made)


def _advance_operands(mode: Mode, base: Any, offsets: Any) -> tuple[Any, ...]:
    expects(
        isinstance(base, block_pointer),
        f"'advance' expects a block pointer, got {getattr(base, 'type', base)!s}",
        hint="make one with tl.make_block_ptr; to a pointer add its offset",
    )
    steps = _listed("advance", "offsets", offsets, len(base.offsets))
    return base, _scalars(mode, "advance", "offsets", steps, int32)


@op(operands=_advance_operands)
def advance(base: block_pointer, offsets: Sequence[Any]) -> block_pointer:
    """A block pointer moved by offsets: ``p = tl.advance(p, (0, BLOCK))`` or ``p = p.advance((0, BLOCK))``.

    Args:
        base: A block pointer, which is not modified.
        offsets: The increment of each dimension's index: integers of up to 32 bits.

    Raises:
        TypeMismatchError: ``base`` is no block pointer, or the number of offsets differs from the rank.

    Example:
        p = tl.advance(p, (0, BLOCK_K))
    """


def _advanced(e: Any, base: block_pointer, offsets: tuple[tensor, ...]) -> block_pointer:
    moved = [e.run(add, pair, {}) for pair in zip(base.offsets, offsets, strict=True)]
    return base._replace(offsets=tuple(moved))


advance._must_use_result = "it gives another pointer: p = tl.advance(p, offsets)"


@advance.emit
def _emit_advance(e: Emitter, base: block_pointer, offsets: Any) -> Any:
    return _advanced(e, base, offsets)


@advance.reference
def _reference_advance(e: Any, base: block_pointer, offsets: Any) -> Any:
    return _advanced(e, base, offsets)


def checked_dimensions(name: str, pointer: block_pointer, boundary_check: Any) -> tuple[int, ...]:
    """Returns the dimensions in which an access is bounds checked."""
    rank = len(pointer.offsets)
    chosen = _listed(name, "dimensions", boundary_check)
    for one in chosen:
        expects(
            isinstance(one, int) and -rank <= one < rank,
            f"'{name}' expects boundary_check to hold dimensions from {-rank} to {rank - 1}, got {one}",
        )
    wrapped = tuple(one % rank for one in chosen)
    expects(
        len(set(wrapped)) == len(wrapped), f"'{name}' expects boundary_check to hold a dimension once, got {chosen}"
    )
    return wrapped


def addresses_and_mask(mode: Mode, pointer: block_pointer, checked: tuple[int, ...]) -> tuple[tensor, tensor | None]:
    """Returns the addresses of a block's elements, and the mask of those in bounds in the checked dimensions."""
    shape = pointer.block_type.shape
    rank, zero = len(shape), as_tensor(mode, 0)
    addresses: Any = pointer.base
    mask: Any = None
    for axis, extent in enumerate(shape):
        within = mode.run(cast, (mode.run(arange, (0, extent), {}), int64), {})
        index: Any = mode.run(add, (mode.run(cast, (pointer.offsets[axis], int64), {}), within), {})
        other_axes = [other for other in range(rank) if other != axis]
        index = mode.run(expand_dims, (index, other_axes), {}) if other_axes else index
        addresses = mode.run(add, (addresses, mode.run(mul, (index, pointer.strides[axis]), {})), {})
        if axis in checked:
            ends = ((greater_equal, zero), (less_than, pointer.extents[axis]))
            both = mode.run(and_, [mode.run(comparison, (index, end), {}) for comparison, end in ends], {})
            mask = both if mask is None else mode.run(and_, (mask, both), {})
    return broadcast_value(mode, addresses, shape), None if mask is None else broadcast_value(mode, mask, shape)
