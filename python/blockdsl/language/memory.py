"""Loads and stores. `add` in elementwise.py computes pointers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import expects
from . import attributes, numerics
from .block_pointer import addresses_and_mask, block_pointer, checked_dimensions
from .cast import cast
from .constexpr import unwrap
from .op import Emitter, Mode, op
from .shape import as_tensor, broadcast_shape, broadcast_value
from .tensor import tensor
from .types import Scalar, block, int1, int8, pointer_type


def pointers_of(name: str, pointer: Any) -> tensor:
    """Returns an argument that must be a pointer or a block of pointers."""
    expects(
        isinstance(pointer, tensor) and pointer.dtype.is_ptr(),
        f"'{name}' expects a pointer or a block of pointers, got "
        f"{pointer.type if isinstance(pointer, tensor) else repr(pointer)}",
        hint="add offsets to a pointer argument: x_ptr + tl.arange(0, BLOCK)",
    )
    assert isinstance(pointer, tensor)
    return pointer


def spread(mode: Mode, name: str, role: str, value: tensor, shape: tuple[int, ...]) -> tensor:
    """Broadcasts a mask or a value to the pointers' shape, which is never extended."""
    expects(
        shape or not value.shape,
        f"'{name}' expects a scalar {role} with a scalar pointer, got a block of shape {value.shape}",
        hint="make the pointer a block: pointer + tl.arange(0, BLOCK)",
    )
    common = broadcast_shape(value.shape, shape)
    expects(common == shape, f"'{name}' expects {role} to broadcast to the pointers' shape {shape}, got {value.shape}",
            hint="broadcast the pointers with the missing offsets first")  # fmt: skip
    return broadcast_value(mode, value, shape)


def mask_of(mode: Mode, name: str, mask: Any, shape: tuple[int, ...]) -> tensor:
    """Returns an argument that must be a mask, in the pointers' shape."""
    value = as_tensor(mode, mask)
    expects(value.dtype == int1, f"'{name}' expects a mask of bools, got {value.dtype}", hint="compare: offsets < n")
    return spread(mode, name, "mask", value, shape)


def as_bytes(mode: Mode, pointer: tensor) -> tensor:
    """Casts pointers to bools, which are bytes in memory, to pointers to int8."""
    if element_of(pointer) != int1:
        return pointer
    value = mode.run(cast, (pointer, pointer_type(int8)), {})
    assert isinstance(value, tensor)
    return value


def element_of(pointer: tensor) -> Scalar:
    """Returns the pointee type of a pointer."""
    assert isinstance(pointer.dtype, pointer_type)
    return pointer.dtype.element_ty


def _address_operands(
    mode: Mode, name: str, pointer: Any, masks: Sequence[Any], boundary_check: Any
) -> tuple[Any, Any]:
    """Returns pointers and mask of an access. A block pointer provides its own mask."""
    if not isinstance(pointer, block_pointer):
        expects(
            unwrap(boundary_check) in ((), [], None), f"'{name}' expects boundary_check with a block pointer only",
            hint="mask the access, or make a block pointer with tl.make_block_ptr",
        )  # fmt: skip
        return pointers_of(name, pointer), unwrap(masks[0])
    expects(all(unwrap(one) is None for one in masks), f"'{name}' expects no mask with a block pointer, got one",
            hint="name the dimensions that may be left in boundary_check")  # fmt: skip
    return addresses_and_mask(mode, pointer, checked_dimensions(name, pointer, boundary_check))


def _padding(pointer: Any, mask: Any, padding_option: Any) -> Any:
    """Returns the value of a load through a block pointer outside of the array."""
    padding = unwrap(padding_option) or ""
    attributes.one_of("load", "padding_option", padding, ("", "zero", "nan"))
    element = element_of(pointer)
    expects(padding != "nan" or element.is_floating(), f"'load' expects floats where it pads with NaN, got {element}")
    # No dimension is checked without a mask: kernels choose that by a constant, and may still pass a padding.
    return None if mask is None else {"": None, "zero": 0, "nan": float("nan")}[padding]


def _load_operands(
    mode: Mode,
    pointer: Any,
    mask: Any,
    other: Any,
    cache_modifier: Any,
    eviction_policy: Any,
    volatile: Any,
    boundary_check: Any,
    padding_option: Any,
) -> tuple[Any, ...]:
    other, is_block = unwrap(other), isinstance(pointer, block_pointer)
    expects(is_block or not unwrap(padding_option), "'load' expects padding_option with a block pointer only",
            hint="name what masked-off elements read: other=0.0")  # fmt: skip
    pointer, mask = _address_operands(mode, "load", pointer, (mask, other) if is_block else (mask,), boundary_check)
    other = _padding(pointer, mask, padding_option) if is_block else other
    expects(mask is not None or other is None, "'load' expects a mask where 'other' is given, got none",
            hint="other is what masked-off elements read")  # fmt: skip
    if mask is not None:
        mask = mask_of(mode, "load", mask, pointer.shape)
    if other is not None:
        value = as_tensor(mode, other)
        other = spread(mode, "load", "other", value, pointer.shape)
        element = element_of(pointer)
        other = mode.run(cast, (other, int8 if element == int1 else element), {})
    hints = _hints("load", cache_modifier, eviction_policy)
    return pointer, mask, other, *hints, bool(unwrap(volatile)), None, None


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
    boundary_check: Sequence[int] = (),
    padding_option: str = "",
) -> tensor:
    """Reads the elements that pointers point to.

    Args:
        pointer: A pointer, a block of pointers of any shape, or a block pointer.
        mask: Bools that broadcast to the pointers' shape. Where one is false nothing is read.
        other: The value of masked-off elements, converted to the element type; zero by default.
        cache_modifier: A hint: ``.ca``, ``.cg``, ``.cs`` or ``.cv``.
        eviction_policy: A hint: ``evict_first`` or ``evict_last``.
        volatile: The read is neither dropped nor repeated.
        boundary_check: For a block pointer, the dimensions in which the block may exceed its array.
        padding_option: The value out of bounds: ``zero``, ``nan``, or by default zero on a CPU and undefined on a GPU.

    Returns:
        A value of the pointers' shape and element type.

    Raises:
        TypeMismatchError: No pointer, ``other`` without a mask, or a shape that does not broadcast.

    Example:
        x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    """


@load.emit
def _emit_load(
    e: Emitter,
    pointer: tensor,
    mask: Any,
    other: Any,
    cache_modifier: str,
    eviction_policy: str,
    volatile: bool,
    boundary_check: None,
    padding_option: None,
) -> Any:
    given = _policy(cache_modifier, eviction_policy)
    if volatile:
        given["isVolatile"] = "true"
    address = as_bytes(e, pointer)
    operands = [value for value in (address, mask, other) if value is not None]
    # Three groups of operands: pointers, and optional mask and `other`.
    given["operandSegmentSizes"] = f"array<i32: 1, {int(mask is not None)}, {int(other is not None)}>"
    value = e.create("tt.load", *operands, attributes=given, result=block(element_of(address), pointer.shape))
    return e.run(cast, (value, int1), {}) if address is not pointer else value


@load.reference
def _reference_load(
    e: Any,
    pointer: tensor,
    mask: Any,
    other: Any,
    cache_modifier: str,
    eviction_policy: str,
    volatile: bool,
    boundary_check: None,
    padding_option: None,
) -> Any:
    element = element_of(pointer)
    active = np.ones(pointer.shape, bool) if mask is None else mask.handle
    stored = e.memory.load(pointer.handle, active, numerics.storage(element))
    values = numerics.load(stored, element)
    if other is not None:
        values = np.where(active, values, numerics.fit(other.handle, element))
    return tensor(values, block(element, pointer.shape))


def _store_operands(
    mode: Mode, pointer: Any, value: Any, mask: Any, cache_modifier: Any, eviction_policy: Any, boundary_check: Any
) -> tuple[Any, ...]:
    pointer, mask = _address_operands(mode, "store", pointer, (mask,), boundary_check)
    assert isinstance(pointer.dtype, pointer_type)
    expects(not pointer.dtype.const, f"'store' expects a pointer that may be written, got a {pointer.dtype}",
            hint="drop the tl.const annotation of the parameter")  # fmt: skip
    value = spread(mode, "store", "value", as_tensor(mode, value), pointer.shape)
    if mask is not None:
        mask = mask_of(mode, "store", mask, pointer.shape)
    element = pointer.dtype.element_ty
    value = mode.run(cast, (value, element), {})
    return pointer, value, mask, *_hints("store", cache_modifier, eviction_policy), None


@op(operands=_store_operands, method=True)
def store(
    pointer: tensor,
    value: tensor,
    mask: tensor | None = None,
    cache_modifier: str = "",
    eviction_policy: str = "",
    boundary_check: Sequence[int] = (),
) -> None:
    """Writes elements to the memory that pointers point to.

    Args:
        pointer: A pointer, a block of pointers, or a block pointer.
        value: The values; broadcast to the pointers' shape and converted to their element type.
        mask: Bools. Where one is false nothing is written.
        cache_modifier: A hint: ``.wb``, ``.cg``, ``.cs`` or ``.wt``.
        eviction_policy: A hint: ``evict_first`` or ``evict_last``.
        boundary_check: For a block pointer, the dimensions in which the block may exceed its array.

    Raises:
        TypeMismatchError: No pointer, a const pointer, or a shape that does not broadcast.

    Example:
        tl.store(y_ptr + offsets, x + 1, mask=offsets < n)
    """


@store.emit
def _emit_store(
    e: Emitter,
    pointer: tensor,
    value: tensor,
    mask: Any,
    cache_modifier: str,
    eviction_policy: str,
    boundary_check: None,
) -> Any:
    given = _policy(cache_modifier, eviction_policy)
    address = as_bytes(e, pointer)
    if address is not pointer:
        value = e.run(cast, (value, int8), {})
    operands = [operand for operand in (address, value, mask) if operand is not None]
    return e.create("tt.store", *operands, attributes=given, result=())


@store.reference
def _reference_store(
    e: Any, pointer: tensor, value: tensor, mask: Any, cache_modifier: str, eviction_policy: str, boundary_check: None
) -> Any:
    active = np.ones(pointer.shape, bool) if mask is None else mask.handle
    e.memory.store(pointer.handle, active, numerics.store(value.handle, element_of(pointer)))
