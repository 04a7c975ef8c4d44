"""Arguments of interpreted kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from blockdsl.errors import LaunchError, Loc, TypeMismatchError
from blockdsl.interpreter.memory import Memory, Segment
from blockdsl.language import numerics, types
from blockdsl.language.constexpr import constexpr
from blockdsl.language.descriptor import tensor_descriptor, tensor_descriptor_type
from blockdsl.language.numerics import Array
from blockdsl.language.scalars import literal_type
from blockdsl.language.tensor import tensor
from blockdsl.language.types import Type, dtype, pointer_type

# Names of element types in torch and NumPy.
_BY_LIBRARY = {
    "bool": types.int1, "float16": types.float16, "bfloat16": types.bfloat16, "float32": types.float32,
    "float64": types.float64, "float8_e5m2": types.float8e5, "float8_e4m3fn": types.float8e4nv,
    "float8_e4m3fnuz": types.float8e4b8, "float8_e5m2fnuz": types.float8e5b16,
    **{f"{sign}int{bits}": getattr(types, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip


def _declared(annotation: Any) -> dtype | None:
    """Returns the type that a number's annotation names, or None."""
    if isinstance(annotation, str):
        name = annotation.strip("'\" ").rsplit(".", 1)[-1]
        annotation = _BY_LIBRARY.get(name)
        if annotation is None and name.isalnum():
            with suppress(TypeMismatchError):
                annotation = types.parse(name)
    return annotation if isinstance(annotation, dtype) else None


def scalar(value: Any, annotation: Any) -> tensor:
    """Returns a number argument as a scalar of its type in compiled kernels."""
    kind = _declared(annotation) or _argument_type(value)
    return tensor(numerics.fit(np.asarray(numerics.wrapped(value, kind)), kind), kind)


def number(value: Any, annotation: Any) -> Any:
    """Returns a number argument. As in a launch, an int that is 1 and has no declared type is a constant."""
    is_one = type(value) is int and value == 1 and _declared(annotation) is None
    return 1 if is_one else scalar(value, annotation)


def _argument_type(value: Any) -> dtype:
    if isinstance(value, float):
        return types.float32
    kind = literal_type(value)
    # int32, int64 or uint64: launches have no uint32.
    return types.int64 if kind is types.uint32 else kind


def _array(value: Any) -> Array:
    """Returns an object's memory as an array, through DLPack or the buffer protocol."""
    return np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(memoryview(value))


def _is_memory(value: Any) -> bool:
    if hasattr(value, "data_ptr") or hasattr(value, "__dlpack__"):
        return True
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def _pointer(memory: Memory, name: str, value: Any, annotation: Any) -> tensor:
    """Returns a tensor argument as a pointer to its first element, and registers its memory."""
    if hasattr(value, "data_ptr"):
        if value.device.type != "cpu":
            raise LaunchError(f"'{name}' is on {value.device}, and the interpreter runs on the CPU",
                              hint="pass x.cpu()")  # fmt: skip
        # A reinterpreted tensor uses its base's memory.
        storage = getattr(value, "base", value).untyped_storage()
        segment = Segment(name, storage.data_ptr(), storage.nbytes(), True, value)
        address, kind = value.data_ptr(), str(value.dtype).removeprefix("torch.")
    else:
        array = value if isinstance(value, np.ndarray) else _array(value)
        low, high = np.lib.array_utils.byte_bounds(array) if hasattr(np.lib, "array_utils") else np.byte_bounds(array)  # type: ignore[attr-defined]
        segment = Segment(name, low, high - low, array.flags.writeable, array)
        address, kind = array.ctypes.data, array.dtype.name
    if segment.end > segment.start:
        memory.segments.append(segment)
    const = getattr(annotation, "__name__", annotation) == "const"
    element = _BY_LIBRARY.get(kind) or types.parse(kind)
    return tensor(np.asarray(address, np.int64), pointer_type(element, const=const))


def _descriptor(memory: Memory, parameter: Any, value: Any) -> tensor_descriptor:
    """Returns a host's tensor descriptor with its base as an address, and shape and strides as scalars."""
    base = _pointer(memory, parameter.name, value.base, None)
    assert isinstance(base.dtype, pointer_type)
    kind = tensor_descriptor_type(types.block(base.dtype.element_ty, [int(size) for size in value.block_shape]))

    def scalars(sizes: Sequence[Any], kind: dtype) -> tuple[tensor, ...]:
        return tuple(tensor(np.asarray(int(size), kind.carrier), kind) for size in sizes)

    handle = tensor((base.handle, value.padding), kind)
    return tensor_descriptor(handle, scalars(value.shape, types.int32), scalars(value.strides, types.int64))


def _argument(memory: Memory, parameter: Any, value: Any) -> Any:
    """Returns an argument as a value in the kernel."""
    if isinstance(value, constexpr):
        return value.value
    if parameter.is_constexpr or value is None or isinstance(value, (Type, tensor)):
        return value
    if isinstance(value, (bool, int, float)):
        return number(value, parameter.annotation)
    if isinstance(value, np.generic):
        return number(value.item(), parameter.annotation)
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        return _descriptor(memory, parameter, value)
    if isinstance(value, tuple):
        named = [replace(parameter, name=f"{parameter.name}[{index}]") for index in range(len(value))]
        items = [_argument(memory, each, item) for each, item in zip(named, value, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if _is_memory(value):
        return _pointer(memory, parameter.name, value, parameter.annotation)
    return value  # A compile-time value, such as a function.


def arguments_of(memory: Memory, source: Any, bound_arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Returns each parameter's value in the kernel. Adds the memory of tensors to ``memory``."""
    with Loc(source.location(source.tree)):
        return {each.name: _argument(memory, each, bound_arguments[each.name]) for each in source.parameters}
