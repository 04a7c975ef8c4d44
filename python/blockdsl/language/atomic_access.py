"""Atomic loads and stores, and waits for a value that another program stores. Updates are in atomics.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import expects
from . import numerics
from .atomics import active_of, check_written, ordering_of, read
from .cast import cast
from .constexpr import unwrap
from .memory import as_bytes, element_of, pointers_of, spread
from .op import Emitter, Mode, op
from .shape import as_tensor
from .tensor import tensor
from .types import Scalar, block, dtype, int1, int8, uint64

# Reads and writes.


def _load_operands(mode: Mode, pointer: Any, mask: Any, sem: Any, scope: Any) -> tuple[Any, ...]:
    pointer = pointers_of("atomic_load", pointer)
    _check_accessed("atomic_load", element_of(pointer))
    ordering = ordering_of("atomic_load", sem, scope, "acquire", ("acquire", "relaxed"))
    return pointer, active_of(mode, "atomic_load", mask, pointer.shape), *ordering


def _check_accessed(name: str, element: Scalar) -> None:
    known = isinstance(element, dtype) and not element.is_fp8()
    expects(known, f"'{name}' expects elements that are integers or floats of at least 16 bits, got {element}")


@op(operands=_load_operands, method=True)
def atomic_load(
    pointer: tensor, mask: tensor | None = None, sem: str | None = None, scope: str | None = None
) -> tensor:
    """Reads elements that other programs may write meanwhile.

    Args:
        pointer: A pointer, or a block of them.
        mask: Bools. Where one is false nothing is read.
        sem: ``acquire`` (the default): stores that precede the store of the value are visible afterwards; or
            ``relaxed``.
        scope: The threads for which the read is atomic on a GPU: ``gpu``, ``cta`` or ``sys``. On a CPU all programs.

    Returns:
        A value of the pointers' shape and element type; zero where the mask is false.

    Raises:
        TypeMismatchError: No pointer, an invalid ``sem`` or ``scope``, or a shape that does not broadcast.

    Example:
        while tl.atomic_load(ready_ptr) == 0:
            pass
    """


@atomic_load.emit
def _emit_load(e: Emitter, pointer: tensor, mask: tensor, sem: str, scope: str) -> Any:
    address = as_bytes(e, pointer)
    given, result = {"sem": sem, "scope": scope}, block(element_of(address), pointer.shape)
    value = e.create("tt.atomic_load", address, mask, attributes=given, result=result)
    return e.run(cast, (value, int1), {}) if address is not pointer else value


@atomic_load.reference
def _reference_load(e: Any, pointer: tensor, mask: tensor, sem: str, scope: str) -> Any:
    element = element_of(pointer)
    for address in pointer.handle[mask.handle].ravel():
        e.memory.note_wait(address, changed=False)
    return tensor(read(e, pointer.handle, element, mask.handle), block(element, pointer.shape))


def _store_operands(mode: Mode, pointer: Any, val: Any, mask: Any, sem: Any, scope: Any) -> tuple[Any, ...]:
    pointer = pointers_of("atomic_store", pointer)
    check_written("atomic_store", pointer)
    _check_accessed("atomic_store", element_of(pointer))
    value = spread(mode, "atomic_store", "val", as_tensor(mode, val), pointer.shape)
    value = mode.run(cast, (value, element_of(pointer)), {})
    ordering = ordering_of("atomic_store", sem, scope, "release", ("release", "relaxed"))
    return pointer, value, active_of(mode, "atomic_store", mask, pointer.shape), *ordering


@op(operands=_store_operands, method=True)
def atomic_store(
    pointer: tensor, val: tensor, mask: tensor | None = None, sem: str | None = None, scope: str | None = None
) -> None:
    """Writes elements that other programs may read meanwhile.

    Args:
        pointer: A pointer, or a block of them.
        val: The values; broadcast to the pointers' shape and converted to their element type.
        mask: Bools. Where one is false nothing is written.
        sem: ``release`` (the default): programs that read the value with ``acquire`` see all previous stores; or
            ``relaxed``.
        scope: The threads for which the write is atomic on a GPU: ``gpu``, ``cta`` or ``sys``. On a CPU all programs.

    Raises:
        TypeMismatchError: No pointer, a const pointer, an invalid ``sem`` or ``scope``, or a shape that does not
            broadcast.

    Example:
        tl.atomic_store(ready_ptr, 1)
    """


@atomic_store.emit
def _emit_store(e: Emitter, pointer: tensor, val: tensor, mask: tensor, sem: str, scope: str) -> Any:
    address = as_bytes(e, pointer)
    if address is not pointer:
        val = e.run(cast, (val, int8), {})
    return e.create("tt.atomic_store", address, val, mask, attributes={"sem": sem, "scope": scope}, result=())


@atomic_store.reference
def _reference_store(e: Any, pointer: tensor, val: tensor, mask: tensor, sem: str, scope: str) -> Any:
    e.memory.store(pointer.handle, mask.handle, numerics.store(val.handle, element_of(pointer)))


# Waiting.


def _poll_operands(
    mode: Mode, pointer: Any, expected_value: Any, sem: Any, scope: Any, timeout_ns: Any
) -> tuple[Any, ...]:
    pointer = pointers_of("atomic_poll", pointer)
    element = element_of(pointer)
    known = isinstance(element, dtype) and element.is_int() and element.primitive_bitwidth in (16, 32, 64)
    expects(known, f"'atomic_poll' expects elements that are integers of 16, 32 or 64 bits, got {element}")
    value = spread(mode, "atomic_poll", "expected_value", as_tensor(mode, expected_value), pointer.shape)
    value = mode.run(cast, (value, element), {})
    limit = unwrap(timeout_ns)
    if limit is not None:
        expects(not isinstance(limit, int) or limit >= 0,
                f"'atomic_poll' expects a timeout_ns of at least 0, got {limit}")  # fmt: skip
        limit = as_tensor(mode, limit)
        expects(not limit.shape and isinstance(limit.dtype, dtype) and limit.dtype.is_int(),
                f"'atomic_poll' expects timeout_ns to be an integer scalar, got {limit.type}")  # fmt: skip
        limit = mode.run(cast, (limit, uint64), {})
    return pointer, value, *ordering_of("atomic_poll", sem, scope, "acquire", ("acquire", "relaxed")), limit


@op(operands=_poll_operands, method=True)
def atomic_poll(
    pointer: tensor,
    expected_value: tensor,
    sem: str | None = None,
    scope: str | None = None,
    timeout_ns: tensor | None = None,
) -> tensor:
    """Waits until memory holds a value. Other programs run meanwhile.

    Args:
        pointer: A pointer, or a block of them, to integers of 16, 32 or 64 bits.
        expected_value: The value; broadcast to the pointers' shape and converted to their element type.
        sem: ``acquire`` (the default) or ``relaxed``.
        scope: The threads for which the reads are atomic on a GPU: ``gpu``, ``cta`` or ``sys``. On a CPU all programs.
        timeout_ns: Timeout in nanoseconds, for all elements together; each is read at least once. By default there is
            no timeout.

    Returns:
        Bools of the pointers' shape: whether each element became equal.

    Raises:
        TypeMismatchError: No pointer, another element type, a negative timeout, or a shape that does not broadcast.

    Example:
        tl.atomic_poll(ready_ptr + tl.arange(0, 8), 1)
    """


@atomic_poll.emit
def _emit_poll(e: Emitter, pointer: tensor, expected_value: tensor, sem: str, scope: str, timeout_ns: Any) -> Any:
    operands = [value for value in (pointer, expected_value, timeout_ns) if value is not None]
    given = {"sem": sem, "scope": scope}
    return e.create("tt.atomic_poll", *operands, attributes=given, result=block(int1, pointer.shape))


@atomic_poll.reference
def _reference_poll(e: Any, pointer: tensor, expected_value: tensor, sem: str, scope: str, timeout_ns: Any) -> Any:
    # The interpreter runs no other program meanwhile, so one read is enough.
    is_equal = read(e, pointer.handle, element_of(pointer)) == expected_value.handle
    if timeout_ns is None and not is_equal.all():
        e.memory.refuse_wait()
    return tensor(np.asarray(is_equal), block(int1, pointer.shape))
