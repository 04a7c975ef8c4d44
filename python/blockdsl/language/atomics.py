"""Atomic updates, for communication between the programs of a launch. Loads and stores are in atomic_access.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import expects
from . import numerics
from .attributes import choice, i32
from .cast import cast
from .constexpr import unwrap
from .logic import logical_and, logical_not
from .memory import element_of, mask_of, pointers_of, spread
from .numerics import Array
from .op import OPS, Emitter, Mode, Op, op
from .select import where
from .shape import as_tensor
from .tensor import tensor
from .types import Scalar, block, dtype, float32, float64, int1, int32, int64, pointer_type, uint32, uint64

_SEMANTICS = {"relaxed": 1, "acquire": 2, "release": 3, "acq_rel": 4}
_SCOPES = {"gpu": 1, "cta": 2, "sys": 3}
_UPDATES = {"and": 1, "or": 2, "xor": 3, "add": 4, "fadd": 5, "max": 6, "min": 7, "umax": 8, "umin": 9, "exch": 10}

_TEXT = """

    Args:
        pointer: A pointer, or a block of them. Equal ones have their updates one after the other, in any order.
        val: Broadcast to the pointers' shape and converted to their element type.
        mask: Bools. Where one is false nothing is read or written.
        sem: How other accesses stay in order with this one: ``acq_rel`` (as without it), ``acquire``, ``release`` or
            ``relaxed``.
        scope: Whom the update is atomic for, on a GPU: ``gpu``, ``cta`` or ``sys``. On a CPU all programs.

    Returns:
        What was there before, of the pointers' shape and element type; zero where the mask is false.

    Raises:
        TypeMismatchError: No pointer, a const pointer, an element type without such an update, or a shape that does
            not broadcast.
"""


def ordering_of(name: str, sem: Any, scope: Any, default: str, allowed: Sequence[str]) -> tuple[str, str]:
    """Returns the text of the attributes for ``sem`` and ``scope``."""
    sem, scope = unwrap(sem) or default, unwrap(scope) or "gpu"
    return (
        choice(name, "sem", sem, {word: _SEMANTICS[word] for word in allowed}),
        choice(name, "scope", scope, _SCOPES),
    )


def check_written(name: str, pointer: tensor) -> None:
    """Raises TypeMismatchError for a const pointer."""
    assert isinstance(pointer.dtype, pointer_type)
    expects(not pointer.dtype.const, f"'{name}' expects a pointer that may be written, got a {pointer.dtype}",
            hint="drop the tl.const annotation of the parameter")  # fmt: skip


def active_of(mode: Mode, name: str, mask: Any, shape: tuple[int, ...]) -> tensor:
    """Returns the mask of an update, all true by default: as in Triton's text every update has a mask."""
    if unwrap(mask) is None:
        value = mode.constant(True, block(int1, shape))
        assert isinstance(value, tensor)
        return value
    return mask_of(mode, name, mask, shape)


# Updates.


def _check_element(name: str, element: Scalar, floats: Sequence[str], integers: bool = True) -> None:
    known = integers and str(element) in ("int32", "int64", "uint32", "uint64")
    words = ", ".join([*floats, *(["int32, int64, uint32 or uint64"] if integers else [])])
    expects(known or str(element) in floats, f"'{name}' expects elements of {words}, got {element}",
            hint="keep them in memory of such a type, and convert the values")  # fmt: skip


def _update_operands(name: str, floats: Sequence[str]) -> Callable[..., tuple[Any, ...]]:
    def operands(mode: Mode, pointer: Any, val: Any, mask: Any, sem: Any, scope: Any) -> tuple[Any, ...]:
        pointer = pointers_of(name, pointer)
        check_written(name, pointer)
        element = element_of(pointer)
        _check_element(name, element, floats)
        value = spread(mode, name, "val", as_tensor(mode, val), pointer.shape)
        value = mode.run(cast, (value, element), {})
        ordering = ordering_of(name, sem, scope, "acq_rel", tuple(_SEMANTICS))
        return pointer, value, active_of(mode, name, mask, pointer.shape), *ordering

    return operands


def _emit_update(e: Emitter, kind: str, pointer: tensor, val: tensor, mask: tensor, sem: str, scope: str) -> Any:
    given = {"atomic_rmw_op": i32(_UPDATES[kind]), "sem": sem, "scope": scope}
    return e.create("tt.atomic_rmw", pointer, val, mask, attributes=given, result=block(val.dtype, pointer.shape))


def apply_update(
    e: Any, pointer: tensor, mask: tensor, operand: tensor, combine: Callable[[Array, Array], Array]
) -> tensor:
    """Applies an update in sequence, vectorized over elements with different addresses. Returns the old values."""
    element = element_of(pointer)
    old = np.zeros(pointer.shape, numerics.carrier(element))
    active = np.broadcast_to(mask.handle, pointer.shape)
    addresses, operands, found = pointer.handle[active], operand.handle[active], old[active]
    with np.errstate(all="ignore"):
        for group in _groups(addresses):
            before = found[group] = read(e, addresses[group], element)
            after = numerics.fit(np.asarray(combine(before, operands[group])), element)
            e.memory.store(addresses[group], np.asarray(True), numerics.store(after, element))
            for address, changed in zip(addresses[group], bits_of(after) != bits_of(before), strict=True):
                e.memory.note_wait(address, changed=changed)
    old[active] = found
    return tensor(old, block(element, pointer.shape))


def _groups(addresses: Array) -> list[Array]:
    """Returns the indices of the first elements at their address, then those of the second ones, and so on."""
    order = np.argsort(addresses, kind="stable")
    at = np.arange(order.size)
    begins = np.diff(addresses[order], prepend=0) != 0
    rank = at - np.maximum.accumulate(np.where(begins, at, 0))
    return [np.sort(order[rank == group]) for group in range(rank.max(initial=-1) + 1)]


def bits_of(elements: Array) -> Array:
    """Returns elements as integers of their bits, for which a NaN equals itself and zeros of two signs differ."""
    return np.ascontiguousarray(elements).view(f"u{elements.dtype.itemsize}")


def read(e: Any, addresses: Array, element: Scalar, active: Any = True) -> Array:
    """Returns elements in an interpreted program's memory."""
    active = np.broadcast_to(np.asarray(active), addresses.shape)
    return numerics.load(e.memory.load(addresses, active, numerics.storage(element)), element)


def _declare(name: str, summary: str, kinds: dict[str, str], floats: Sequence[str], meaning: Any, example: str) -> Op:
    """Declares an update that is one op of the IR; ``kinds`` has its names for signed, unsigned and float elements."""

    def declared(
        pointer: tensor, val: tensor, mask: tensor | None = None, sem: str | None = None, scope: str | None = None
    ) -> tensor: ...

    declared.__name__ = declared.__qualname__ = name
    declared.__doc__ = f"{summary}{_TEXT}\n    Example:\n        {example}\n    "
    update = op(operands=_update_operands(name, floats), method=True)(declared)

    def kind_of(element: Any) -> str:
        return kinds["float" if element.is_floating() else "signed" if element.is_int_signed() else "unsigned"]

    def emit(e: Emitter, pointer: tensor, val: tensor, mask: tensor, sem: str, scope: str) -> Any:
        if val.dtype in (float32, float64) and name in ("atomic_max", "atomic_min"):
            return _emit_by_sign(e, name, pointer, val, mask, sem, scope)
        return _emit_update(e, kind_of(val.dtype), pointer, val, mask, sem, scope)

    def reference(e: Any, pointer: tensor, val: tensor, mask: tensor, sem: str, scope: str) -> Any:
        if val.dtype.is_floating() and name in ("atomic_max", "atomic_min"):
            return _apply_by_sign(e, pointer, mask, val, meaning)
        return apply_update(e, pointer, mask, val, meaning)

    update.emit(emit)
    update.reference(reference)
    return update


def _emit_by_sign(e: Emitter, name: str, pointer: tensor, val: tensor, mask: tensor, sem: str, scope: str) -> Any:
    """Emits an update of floats as integers: bits of positive floats are in ascending order, those of negative floats
    in descending order."""
    signed, unsigned = (int32, uint32) if val.dtype == float32 else (int64, uint64)

    def as_bits(value: tensor, kind: Scalar) -> Any:
        return e.run(cast, (value, kind), {"bitcast": True})

    def on(kind: Scalar, word: str, chosen: Any) -> Any:
        address = e.run(cast, (pointer, pointer_type(kind)), {})
        return _emit_update(e, word, address, as_bits(val, kind), e.run(logical_and, (mask, chosen), {}), sem, scope)

    # The sign bit, which a comparison with zero would miss for negative zeros and NaNs.
    sign = e.run(OPS["shr"], (as_bits(val, unsigned), signed.primitive_bitwidth - 1), {})
    is_negative = e.run(cast, (sign, int1), {})
    is_positive = e.run(logical_not, (is_negative,), {})
    up, down = ("max", "umin") if name == "atomic_max" else ("min", "umax")
    found = e.run(where, (is_positive, on(signed, up, is_positive), on(unsigned, down, is_negative)), {})
    return as_bits(found, val.dtype)


def _apply_by_sign(e: Any, pointer: tensor, mask: tensor, val: tensor, meaning: Any) -> tensor:
    """Applies two updates, as in the IR: one with all non-negative values, then one with all negative values."""
    is_negative = np.signbit(val.handle)
    positive, negative = (
        apply_update(e, pointer, tensor(mask.handle & chosen, mask.type), val, meaning)
        for chosen in (~is_negative, is_negative)
    )
    return tensor(np.where(is_negative, negative.handle, positive.handle), positive.type)


def _extreme(upwards: Callable[..., Any], downwards: Callable[..., Any]) -> Callable[[Array, Array], Array]:
    """Returns a function for the larger or the smaller of two numbers. Floats are compared by bits, as in the IR."""

    def combine(found: Array, value: Array) -> Array:
        if value.dtype.kind != "f":
            return np.asarray(upwards(found, value))
        is_negative = bool(np.signbit(value).any())  # All values have the same sign: see _apply_by_sign.
        kind = f"{'u' if is_negative else 'i'}{value.dtype.itemsize}"
        bits = (downwards if is_negative else upwards)(found.view(kind), value.view(kind))
        return np.asarray(bits).view(value.dtype)

    return combine


_ANY = {"signed": "", "unsigned": "", "float": ""}
_WIDE = ("fp32", "fp64")

atomic_add = _declare(
    "atomic_add", "Adds to what lies in memory, and gives what was there.",
    {"signed": "add", "unsigned": "add", "float": "fadd"}, ("fp16", "bf16", *_WIDE), np.add,
    "tl.atomic_add(sums_ptr + indices, values, mask=offsets < n)",
)  # fmt: skip
atomic_max = _declare(
    "atomic_max",
    "Replaces what lies in memory if ``val`` is larger, and gives what was there. NaN and -0.0 count by their bits.",
    {"signed": "max", "unsigned": "umax"}, _WIDE, _extreme(np.maximum, np.minimum),
    "tl.atomic_max(best_ptr, tl.max(x, 0))",
)  # fmt: skip
atomic_min = _declare(
    "atomic_min",
    "Replaces what lies in memory if ``val`` is smaller, and gives what was there. NaN and -0.0 count by their bits.",
    {"signed": "min", "unsigned": "umin"}, _WIDE, _extreme(np.minimum, np.maximum),
    "tl.atomic_min(best_ptr, tl.min(x, 0))",
)  # fmt: skip
atomic_and = _declare(
    "atomic_and", "Keeps the bits in memory that are also in ``val``, and gives what was there.",
    dict.fromkeys(_ANY, "and"), (), np.bitwise_and, "tl.atomic_and(flags_ptr, ~mine)",
)  # fmt: skip
atomic_or = _declare(
    "atomic_or", "Sets the bits of ``val`` in memory, and gives what was there.",
    dict.fromkeys(_ANY, "or"), (), np.bitwise_or, "tl.atomic_or(flags_ptr, mine)",
)  # fmt: skip
atomic_xor = _declare(
    "atomic_xor", "Flips the bits of ``val`` in memory, and gives what was there.",
    dict.fromkeys(_ANY, "xor"), (), np.bitwise_xor, "tl.atomic_xor(flags_ptr, mine)",
)  # fmt: skip
atomic_xchg = _declare(
    "atomic_xchg", "Writes ``val``, and gives what was there.",
    dict.fromkeys(_ANY, "exch"), _WIDE, lambda found, value: value, "tl.atomic_xchg(lock_ptr, 0)",
)  # fmt: skip


# Comparison and exchange.


def _cas_operands(mode: Mode, pointer: Any, cmp: Any, val: Any, sem: Any, scope: Any) -> tuple[Any, ...]:
    pointer = pointers_of("atomic_cas", pointer)
    check_written("atomic_cas", pointer)
    element = element_of(pointer)
    expects(isinstance(element, dtype) and element.primitive_bitwidth in (16, 32, 64),
            f"'atomic_cas' expects elements of 16, 32 or 64 bits, got {element}")  # fmt: skip
    compared, written = (
        mode.run(cast, (spread(mode, "atomic_cas", name, as_tensor(mode, value), pointer.shape), element), {})
        for name, value in (("cmp", cmp), ("val", val))
    )
    return pointer, compared, written, *ordering_of("atomic_cas", sem, scope, "acq_rel", tuple(_SEMANTICS))


@op(operands=_cas_operands, method=True)
def atomic_cas(pointer: tensor, cmp: tensor, val: tensor, sem: str | None = None, scope: str | None = None) -> tensor:
    """Writes ``val`` where memory holds the same bits as ``cmp``, and returns the old values.

    Other programs run while a loop repeats it until it succeeds.

    Args:
        pointer: A pointer, or a block of them, to elements of 16, 32 or 64 bits.
        cmp: The expected values; broadcast and converted like ``val``.
        val: The new values; broadcast to the pointers' shape and converted to their element type.
        sem: The memory order: ``acq_rel`` (the default), ``acquire``, ``release`` or ``relaxed``.
        scope: The threads for which the exchange is atomic on a GPU: ``gpu``, ``cta`` or ``sys``. On a CPU all
            programs.

    Returns:
        The old values, with the pointers' shape and element type.

    Raises:
        TypeMismatchError: No pointer, a const pointer, elements of 8 bits, or a shape that does not broadcast.

    Example:
        while tl.atomic_cas(lock_ptr, 0, 1) == 1:
            pass
    """


@atomic_cas.emit
def _emit_cas(e: Emitter, pointer: tensor, cmp: tensor, val: tensor, sem: str, scope: str) -> Any:
    given = {"sem": sem, "scope": scope}
    return e.create("tt.atomic_cas", pointer, cmp, val, attributes=given, result=block(val.dtype, pointer.shape))


@atomic_cas.reference
def _reference_cas(e: Any, pointer: tensor, cmp: tensor, val: tensor, sem: str, scope: str) -> Any:
    every = tensor(np.ones(pointer.shape, bool), block(int1, pointer.shape))
    both = np.empty(pointer.shape, [("cmp", cmp.handle.dtype), ("val", val.handle.dtype)])
    both["cmp"], both["val"] = cmp.handle, val.handle

    def exchange(found: Array, operands: Any) -> Array:
        return np.where(bits_of(found) == bits_of(operands["cmp"]), operands["val"], found)

    return apply_update(e, pointer, every, tensor(both, val.type), exchange)
