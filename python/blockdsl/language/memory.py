"""Loads and stores. Where pointers come from is elementwise.py's `add`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import expects
from . import attributes, numerics
from .cast import cast
from .constexpr import unwrap
from .op import Emitter, Mode, op
from .shape import as_tensor, broadcast_shape, broadcast_value
from .tensor import tensor
from .types import Scalar, block, int1, int8, pointer_type


def pointers_of(name: str, pointer: Any) -> tensor:
    """An argument that has to be a pointer, or a block of them."""
    expects(
        isinstance(pointer, tensor) and pointer.dtype.is_ptr(),
        f"'{name}' expects a pointer or a block of pointers, got "
        f"{pointer.type if isinstance(pointer, tensor) else repr(pointer)}",
        hint="add offsets to a pointer argument: x_ptr + tl.arange(0, BLOCK)",
    )
    assert isinstance(pointer, tensor)
    return pointer


def spread(mode: Mode, name: str, what: str, value: tensor, shape: tuple[int, ...]) -> tensor:
    """A mask or a value in the pointers' shape, which never grows."""
    expects(
        shape or not value.shape,
        f"'{name}' expects a scalar {what} with a scalar pointer, got a block of shape {value.shape}",
        hint="make the pointer a block: pointer + tl.arange(0, BLOCK)",
    )
    common = broadcast_shape(value.shape, shape)
    expects(common == shape, f"'{name}' expects {what} to broadcast to the pointers' shape {shape}, got {value.shape}",
            hint="broadcast the pointers with the missing offsets first")  # fmt: skip
    return broadcast_value(mode, value, shape)


def mask_of(mode: Mode, name: str, mask: Any, shape: tuple[int, ...]) -> tensor:
    """An argument that has to be a mask, in the pointers' shape."""
    value = as_tensor(mode, mask)
    expects(value.dtype == int1, f"'{name}' expects a mask of bools, got {value.dtype}", hint="compare: offsets < n")
    return spread(mode, name, "mask", value, shape)


def as_bytes(mode: Mode, pointer: tensor) -> tensor:
    """Bools lie in memory as bytes."""
    if element_of(pointer) != int1:
        return pointer
    value = mode.run(cast, (pointer, pointer_type(int8)), {})
    assert isinstance(value, tensor)
    return value


def element_of(pointer: tensor) -> Scalar:
    """What one pointer points to."""
    assert isinstance(pointer.dtype, pointer_type)
    return pointer.dtype.element_ty


def _load_operands(
    mode: Mode, pointer: Any, mask: Any, other: Any, cache_modifier: Any, eviction_policy: Any, volatile: Any
) -> tuple[Any, ...]:
    pointer, mask, other = pointers_of("load", pointer), unwrap(mask), unwrap(other)
    expects(mask is not None or other is None, "'load' expects a mask where 'other' is given, got none",
            hint="other is what masked-off elements read")  # fmt: skip
    if mask is not None:
        mask = mask_of(mode, "load", mask, pointer.shape)
    if other is not None:
        value = as_tensor(mode, other)
        other = spread(mode, "load", "other", value, pointer.shape)
        element = element_of(pointer)
        other = mode.run(cast, (other, int8 if element == int1 else element), {})
    return pointer, mask, other, *_hints("load", cache_modifier, eviction_policy), bool(unwrap(volatile))


def _hints(name: str, cache_modifier: Any, eviction_policy: Any) -> tuple[str, str]:
    cache, eviction = unwrap(cache_modifier) or "", unwrap(eviction_policy) or ""
    allowed = ("", ".ca", ".cg", ".cs", ".cv") if name == "load" else ("", ".wb", ".cg", ".cs", ".wt")
    attributes.one_of(name, "cache_modifier", cache, allowed)
    attributes.one_of(name, "eviction_policy", eviction, ("", "evict_first", "evict_last", "evict_normal"))
    return cache, eviction


def _policy(cache_modifier: str, eviction_policy: str) -> dict[str, str]:
    if not cache_modifier and not eviction_policy:
        return {}
    cache, eviction = cache_modifier.lstrip(".") or "none", eviction_policy or "evict_normal"
    return {"cachePolicy": f"#tt.cache_policy<cache_modifier = {cache}, eviction_policy = {eviction}>"}


@op(operands=_load_operands, method=True)
def load(
    pointer: tensor,
    mask: tensor | None = None,
    other: tensor | None = None,
    cache_modifier: str = "",
    eviction_policy: str = "",
    volatile: bool = False,
) -> tensor:
    """Reads the elements that pointers point to.

    Args:
        pointer: A pointer, or a block of them, of any shape.
        mask: Bools that broadcast to the pointers' shape. Where one is false nothing is read.
        other: What masked-off elements read, converted to the element type. Without it they read zero.
        cache_modifier: A hint: ``.ca``, ``.cg``, ``.cs`` or ``.cv``.
        eviction_policy: A hint: ``evict_first`` or ``evict_last``.
        volatile: The read is neither dropped nor repeated.

    Returns:
        A value of the pointers' shape and element type.

    Raises:
        TypeMismatchError: No pointer, ``other`` without a mask, or a shape that does not broadcast.

    Example:
        x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    """


@load.emit
def _emit_load(
    e: Emitter, pointer: tensor, mask: Any, other: Any, cache_modifier: str, eviction_policy: str, volatile: bool
) -> Any:
    given = _policy(cache_modifier, eviction_policy)
    if volatile:
        given["isVolatile"] = "true"
    address = as_bytes(e, pointer)
    operands = [value for value in (address, mask, other) if value is not None]
    # Three groups of operands, of which the last two may be empty.
    given["operandSegmentSizes"] = f"array<i32: 1, {int(mask is not None)}, {int(other is not None)}>"
    value = e.create("tt.load", *operands, attributes=given, result=block(element_of(address), pointer.shape))
    return e.run(cast, (value, int1), {}) if address is not pointer else value


@load.reference
def _reference_load(
    e: Any, pointer: tensor, mask: Any, other: Any, cache_modifier: str, eviction_policy: str, volatile: bool
) -> Any:
    element = element_of(pointer)
    active = np.ones(pointer.shape, bool) if mask is None else mask.handle
    stored = e.memory.load(pointer.handle, active, numerics.storage(element))
    values = numerics.load(stored, element)
    if other is not None:
        values = np.where(active, values, numerics.fit(other.handle, element))
    return tensor(values, block(element, pointer.shape))


def _store_operands(
    mode: Mode, pointer: Any, value: Any, mask: Any, cache_modifier: Any, eviction_policy: Any
) -> tuple[Any, ...]:
    pointer, mask = pointers_of("store", pointer), unwrap(mask)
    assert isinstance(pointer.dtype, pointer_type)
    expects(not pointer.dtype.const, f"'store' expects a pointer that may be written, got a const {pointer.dtype}",
            hint="drop the tl.const annotation of the parameter")  # fmt: skip
    value = spread(mode, "store", "value", as_tensor(mode, value), pointer.shape)
    if mask is not None:
        mask = mask_of(mode, "store", mask, pointer.shape)
    element = pointer.dtype.element_ty
    value = mode.run(cast, (value, element), {})
    return pointer, value, mask, *_hints("store", cache_modifier, eviction_policy)


@op(operands=_store_operands, method=True)
def store(
    pointer: tensor,
    value: tensor,
    mask: tensor | None = None,
    cache_modifier: str = "",
    eviction_policy: str = "",
) -> None:
    """Writes elements to where pointers point.

    Args:
        pointer: A pointer, or a block of them.
        value: What is written; broadcast to the pointers' shape and converted to their element type.
        mask: Bools. Where one is false nothing is written.
        cache_modifier: A hint: ``.wb``, ``.cg``, ``.cs`` or ``.wt``.
        eviction_policy: A hint: ``evict_first`` or ``evict_last``.

    Raises:
        TypeMismatchError: No pointer, a const pointer, or a shape that does not broadcast.

    Example:
        tl.store(y_ptr + offsets, x + 1, mask=offsets < n)
    """


@store.emit
def _emit_store(
    e: Emitter, pointer: tensor, value: tensor, mask: Any, cache_modifier: str, eviction_policy: str
) -> Any:
    given = _policy(cache_modifier, eviction_policy)
    address = as_bytes(e, pointer)
    if address is not pointer:
        value = e.run(cast, (value, int8), {})
    operands = [operand for operand in (address, value, mask) if operand is not None]
    return e.create("tt.store", *operands, attributes=given, result=())


@store.reference
def _reference_store(
    e: Any, pointer: tensor, value: tensor, mask: Any, cache_modifier: str, eviction_policy: str
) -> Any:
    active = np.ones(pointer.shape, bool) if mask is None else mask.handle
    e.memory.store(pointer.handle, active, numerics.store(value.handle, element_of(pointer)))
