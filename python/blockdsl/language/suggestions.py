"""Suggestions in error messages: the equivalents of names from NumPy, torch, CUDA and Numba."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ..errors import TypeMismatchError

_LIBDEVICE = "write libdevice.{}(...), after `from blockdsl.language.extra import libdevice` at the top of the file"

_DEBUGGER = "run with BLOCKDSL_INTERPRET=1, where kernels run as Python and breakpoints work"

_PROGRAMS = (
    "a program computes a block of elements: offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), with a mask"
)

_WRITTEN = {
    "all": "tl.min((x > 0).to(tl.int32), axis=0) != 0, with the condition for x > 0",
    "any": "tl.max((x > 0).to(tl.int32), axis=0) != 0, with the condition for x > 0",
    "array": "tl.load, tl.arange, tl.full or tl.zeros, which make blocks",
    "atomicAdd": "tl.atomic_add(pointer, value)",
    "atomicMax": "tl.atomic_max(pointer, value)",
    "atomicMin": "tl.atomic_min(pointer, value)",
    "clip": "tl.clamp(x, low, high)",
    "concat": "tl.cat(x, y, can_reorder=True), or tl.join(x, y) for a new last axis",
    "diag": "tl.where(i[:, None] == i[None, :], x, 0), with i = tl.arange(0, n)",
    "einsum": "tl.dot(a, b)",
    "empty": "tl.zeros(shape, dtype)",
    "empty_like": "tl.zeros_like(x)",
    "eye": "(i[:, None] == i[None, :]).to(tl.float32), with i = tl.arange(0, n)",
    "fmod": "x % y",
    "full_like": "tl.full(x.shape, value, x.dtype)",
    "gelu": "0.5 * x * (1 + tl.erf(x * 0.7071067811865476))",
    "leaky_relu": "tl.where(x > 0, x, slope * x)",
    "linspace": "start + tl.arange(0, n) * step, with n a power of two",
    "matmul": "tl.dot(a, b)",
    "mean": "tl.sum(x, axis=0) / n, with the number of elements for n",
    "nan_to_num": "tl.where(x != x, 0, x)",
    "norm": "tl.sqrt(tl.sum(x * x, axis=0))",
    "ones": "tl.full(shape, 1, dtype)",
    "ones_like": "tl.full(x.shape, 1, x.dtype)",
    "permute": "tl.trans(x, dims)",
    "prod": "tl.reduce(x, 0, times), with a @blockdsl.jit function times(a, b) that returns a * b",
    "reciprocal": "1 / x",
    "relu": "tl.maximum(x, 0)",
    "repeat": "tl.broadcast_to(x[:, None], shape)",
    "sign": "tl.where(x > 0, 1, tl.where(x < 0, -1, 0))",
    "silu": "x * tl.sigmoid(x)",
    "square": "x * x",
    "stack": "tl.join(x, y)",
    "std": "tl.sqrt(tl.sum((x - m) * (x - m), axis=0) / n), with m = tl.sum(x, axis=0) / n",
    "transpose": "tl.trans(x)",
    "var": "tl.sum((x - m) * (x - m), axis=0) / n, with m = tl.sum(x, axis=0) / n",
}
"""Replacements of functions of NumPy or torch, by name."""

_SAME = {
    "absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
    "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "average": "mean", "bmm": "matmul",
    "clamp_": "clamp", "concatenate": "concat", "fabs": "abs", "isinf": "isinf", "mm": "matmul", "moveaxis": "permute",
    "multiply": "mul", "power": "pow", "round": "rint", "swapaxes": "permute", "t": "transpose", "tile": "repeat",
    "true_divide": "truediv", "vstack": "stack", "hstack": "concat", "around": "rint",
}  # fmt: skip
"""Other names of a function."""

_TYPES = {
    "bfloat": "bfloat16", "bool": "int1", "byte": "uint8", "char": "int8", "double": "float64", "float": "float32",
    "half": "float16", "int": "int32", "long": "int64", "short": "int16", "single": "float32", "uint": "uint32",
    "bool_": "int1", "int1": "int1", "float8_e4m3fn": "float8e4nv", "float8_e5m2": "float8e5",
    "bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64", "i1": "int1", "i8": "int8",
    "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "fp8e4b15": "float8e4b15", "fp8e4b8": "float8e4b8", "fp8e4nv": "float8e4nv", "fp8e5": "float8e5",
    "fp8e5b16": "float8e5b16",
}  # fmt: skip
"""Names of element types outside of the language, and those in its messages. NumPy's and torch's other names are equal
to the language's."""

_CUDA = {
    "blockDim": f"the extent of a program's blocks is a constant of yours, such as BLOCK; {_PROGRAMS}",
    "blockIdx": "write tl.program_id(0)",
    "cuda": _PROGRAMS,
    "gridDim": "write tl.num_programs(0)",
    "prange": "use range; programs of the grid run at the same time",
    "shared_memory": "there is none to allocate: what is loaded into a name stays near the processor",
    "syncthreads": "leave it out: blocks are computed whole, and need no barrier",
    "threadIdx": _PROGRAMS,
    "thread_id": _PROGRAMS,
}
"""Names of CUDA and Numba for threads and blocks."""


def function_instead(name: str) -> str | None:
    """Returns the hint for a called function of this name in NumPy, torch, ``math`` or Python."""
    if name in ("breakpoint", "set_trace"):
        return _DEBUGGER
    if name in _CUDA:
        return _CUDA[name]
    name = _SAME.get(name, name)
    if name in _WRITTEN:
        return f"write {_WRITTEN[name]}"
    from . import extra
    from .op import LIBRARY, OPS

    found = OPS.get(name) or LIBRARY.get(name)
    if found is not None:
        return f"write tl.{name}(...)"
    return _LIBDEVICE.format(name) if name in extra.libdevice.FUNCTIONS else None


def name_instead(name: str) -> str | None:
    """Returns the hint for a name that the language does not have."""
    return f"write tl.{_TYPES[name]}" if name in _TYPES else function_instead(name)


def undefined_instead(name: str) -> str | None:
    """Returns the hint for a name that is not defined in a kernel's file."""
    return _CUDA.get(name.lstrip("_"))


def method_instead(name: str, known: Iterable[str]) -> str | None:
    """Returns the hint for a method that a block does not have. ``known`` are a block's methods."""
    if name in ("astype", "type_as", "cast_"):
        return "write x.to(tl.float32), with the type that is wanted"
    if name in _TYPES:
        return f"write x.to(tl.{_TYPES[name]})"
    if name in ("clone", "copy", "contiguous", "detach", "cpu", "numpy", "tolist"):
        return "leave it out: a block does not change, and stays in the kernel"
    if name in ("stride", "strides"):
        return "a kernel sees no strides: pass them as arguments, as in kernel[grid](x, x.stride(0))"
    if name in ("size", "ndim", "dim", "__len__"):
        return "extents of a block are x.shape[0] and so on; those of an argument are arguments of their own"
    if name in ("append", "extend", "insert"):
        return "write values = values + (x,), in a loop over tl.static_range"
    found = function_instead(name)
    if found is not None:
        return found
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean '{close[0]}'?" if close else None


def expect_type(op: str, given: object) -> None:
    """Raises TypeMismatchError for an op's argument that is not a type of the language."""
    from .types import Type

    if not isinstance(given, Type):
        raise TypeMismatchError(f"'{op}' expects a dtype, got {given!r}", hint=type_instead(given))


def type_instead(value: object) -> str:
    """Returns the hint for a value in place of an element type: a type of torch, NumPy or Python, or a name."""
    from . import types

    name = value if isinstance(value, str) else getattr(value, "__name__", None) or getattr(value, "name", None)
    name = str(name or value).rpartition(".")[2]
    name = _TYPES.get(name, name)
    return f"write tl.{name}" if isinstance(getattr(types, name, None), types.dtype) else "such as tl.float32"
