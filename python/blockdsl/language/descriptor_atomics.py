"""Atomic updates through tensor descriptors: ``desc.atomic_add(offsets, value)`` and similar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import expects
from .atomics import apply_update
from .attributes import i32
from .descriptor import tensor_descriptor
from .descriptor_access import addresses_of, described, offsets_of, ranges_of, stored_value
from .numerics import Array, larger_number, smaller_number
from .op import Emitter, Mode, Op, op
from .tensor import tensor
from .types import block, dtype, int1, pointer_type

_KINDS = {"add": 1, "min": 2, "max": 3, "and": 6, "or": 7, "xor": 8}
_INTEGERS = ("int32", "uint32", "int64", "uint64")
_ELEMENTS = {
    # A GPU's reducing copies do not support signed integers of 64 bits; unsigned addition gives the same bits.
    "add": ("int32", "uint32", "uint64", "fp32", "fp16", "bf16"),
    "min": (*_INTEGERS, "fp16", "bf16"),
    "max": (*_INTEGERS, "fp16", "bf16"),
    **dict.fromkeys(("and", "or", "xor"), _INTEGERS),
}
_TEXT = """

    Elements outside of the array are left alone. Each update is atomic; there is no order among them.

    Args:
        desc: A tensor descriptor.
        offsets: Where the block begins: an int32 scalar for each dimension.
        value: A block of the descriptor's shape.

    Raises:
        TypeMismatchError: No descriptor, elements without such an update, offsets that are not int32 scalars, or a
            value of another shape.
"""


def _declare(kind: str, summary: str, meaning: Callable[..., Any]) -> Op:
    name = f"descriptor_atomic_{kind}"

    def operands(mode: Mode, desc: Any, offsets: Any, value: Any) -> tuple[Any, ...]:
        desc = described(name, desc)
        known = isinstance(desc.dtype, dtype) and str(desc.dtype) in _ELEMENTS[kind]
        expects(known, f"'{name}' expects elements of {', '.join(_ELEMENTS[kind])}, got {desc.dtype}")
        return desc, offsets_of(mode, name, desc, offsets), stored_value(mode, name, desc, value, desc.block_shape)

    def declared(desc: tensor_descriptor, offsets: Sequence[Any], value: tensor) -> None: ...

    declared.__name__ = declared.__qualname__ = name
    declared.__doc__ = f"{summary}{_TEXT}\n    Example:\n        desc.atomic_{kind}([row, 0], x)\n    "
    update = op(operands=operands)(declared)

    def emit(e: Emitter, desc: tensor_descriptor, offsets: Any, value: tensor) -> Any:
        given = {"kind": i32(_KINDS[kind])}
        return e.create("tt.descriptor_reduce", desc.handle, value, *offsets, attributes=given, result=())

    def reference(e: Any, desc: tensor_descriptor, offsets: Any, value: tensor) -> None:
        addresses, inside = addresses_of(desc, ranges_of(desc, offsets))
        assert isinstance(desc.dtype, dtype)
        pointers = tensor(addresses, block(pointer_type(desc.dtype), desc.block_shape))
        apply_update(e, pointers, tensor(inside, block(int1, desc.block_shape)), value, meaning)

    update.emit(emit)
    update.reference(reference)
    return update


def _of_numbers(integers: Callable[..., Any], floats: Callable[..., Any]) -> Callable[[Array, Array], Array]:
    return lambda found, value: (floats if value.dtype.kind == "f" else integers)(found, value)


descriptor_atomic_add = _declare("add", "Adds a block to one of a described array.", np.add)
descriptor_atomic_min = _declare(
    "min",
    "Keeps the smaller of each element of a block and of one of a described array; passes over NaN.",
    _of_numbers(np.minimum, smaller_number),
)
descriptor_atomic_max = _declare(
    "max",
    "Keeps the larger of each element of a block and of one of a described array; passes over NaN.",
    _of_numbers(np.maximum, larger_number),
)
descriptor_atomic_and = _declare("and", "Keeps the bits in a described array that a block has.", np.bitwise_and)
descriptor_atomic_or = _declare("or", "Sets the bits of a block in a described array.", np.bitwise_or)
descriptor_atomic_xor = _declare("xor", "Flips the bits of a block in a described array.", np.bitwise_xor)
