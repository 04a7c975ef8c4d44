"""Error messages for invalid launches: the argument received, the one expected, and a remedy.

The launcher passes a reason and the argument. The slow work, such as describing the object and finding the caller's
line, happens here.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Collection, Sequence
from types import ModuleType
from typing import Any, SupportsIndex

from blockdsl.errors import LaunchError, gpu_errors
from blockdsl.errors.source_locations import caller


def _is_descriptor(value: object) -> bool:
    return hasattr(value, "block_shape") and hasattr(value, "base")


def memory_of(value: object) -> object:
    """Returns the object that holds the elements: the base of a tensor descriptor, else the value."""
    return getattr(value, "base", None) if _is_descriptor(value) else value


def _shown(value: object) -> str:
    """Formats a value for a message: short, and without the elements of a tensor."""
    try:
        text = _described(value)
    except Exception:  # Objects are arbitrary: a module, or one whose attributes raise.
        text = object.__repr__(value)
    return text if len(text) <= 60 or hasattr(type(value), "shape") else text[:57] + "..."


def _described(value: object) -> str:
    if _is_descriptor(value):
        sizes = ", ".join(f"{name}={getattr(value, name, None)}" for name in ("shape", "strides", "block_shape"))
        return f"{type(value).__name__}({_shown(memory_of(value))}, {sizes})"
    try:
        is_array = not isinstance(value, (type, ModuleType)) and hasattr(value, "shape") and hasattr(value, "dtype")
    except RuntimeError:
        # torch's nested tensors have no shape.
        return type(value).__name__
    if is_array:
        shape = "x".join(str(size) for size in getattr(value, "shape", ()))
        return f"{type(value).__name__}({shape or '0-d'}, {getattr(value, 'dtype', '?')})"
    return _shown_tuple(value) if isinstance(value, tuple) else repr(value)


def _shown_tuple(value: tuple[object, ...]) -> str:
    return f"({', '.join(map(_shown, value))}{',' * (len(value) == 1)})"


def _grid(kernel: str, value: object) -> LaunchError:
    sizes = value if isinstance(value, (tuple, list)) else (value,)
    text = _shown(value)
    if not 1 <= len(sizes) <= 3:
        return LaunchError(
            f"the grid of kernel '{kernel}' has 1 to 3 sizes, got {len(sizes)}: {text}",
            hint="fold further dimensions into one and take tl.program_id apart with // and %"
            if sizes
            else "a grid of one program is (1,)",
        )
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, SupportsIndex):
            hint = "use // or blockdsl.cdiv(n, BLOCK) instead of /" if isinstance(size, float) else None
            return LaunchError(
                f"the grid of kernel '{kernel}' expects integers, got {type(size).__name__} {_shown(size)}", hint=hint
            )
        if not 0 <= int(size) < 2**31:
            return LaunchError(
                f"each size of the grid of kernel '{kernel}' is 0 to 2147483647, got {_shown(size)} in {text}",
                hint="a size of 0 is no work; a negative size is a mistake in its computation",
            )
    return LaunchError(f"the grid of kernel '{kernel}' has less than 2**62 programs, got {text}")


def _device(kernel: str, name: str, value: object) -> LaunchError:
    device = getattr(memory_of(value), "device", "another device")
    hint = f"pass {name}.cpu()" if str(device) != "meta" else "a meta tensor has no memory to compute on"
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' is on device '{device}', expected a tensor in CPU or CUDA memory",
        hint=hint,
    )


def _unreadable(kernel: str, name: str, value: object, message: str) -> LaunchError:
    if _is_descriptor(value):
        return LaunchError(
            f"argument '{name}' of kernel '{kernel}' describes no array that can be read: {message}",
            hint="make it with blockdsl.tools.tensor_descriptor.TensorDescriptor, which says what is wrong",
        )
    device = getattr(value, "device", None)
    if device is not None and not str(device).startswith(("cpu", "cuda")):
        return _device(kernel, name, value)
    # torch's message contains a C++ backtrace of thirty lines.
    reason = message.partition("\n")[0]
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}', {_shown(value)}, gives no access to its memory: {reason}",
        hint=_readable(name, value),
    )


def _nothing(kernel: str, name: str, value: object) -> LaunchError:
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}', {_shown(value)}, has elements and no memory for them; "
        "expected a tensor in CPU or CUDA memory",
        hint=_filled(name, memory_of(value)),
    )


def _filled(name: str, value: object) -> str:
    """Returns a hint with a replacement for a tensor without memory."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return "allocate it first"
    if _is_transformed(value):
        return _TRANSFORMED
    if type(value).__name__ in ("FakeTensor", "FunctionalTensor"):
        return "it only stands for a tensor while a program is traced; pass its element type instead"
    if type(value) is not torch.Tensor:
        return f"it wraps other tensors; pass the one that {name} computes with"
    return f"its storage has been freed, or was never allocated; allocate it, or pass {name}.clone()"


_TRANSFORMED = "a transformation of torch hides its memory; launch from a torch.library.custom_op"


def _is_transformed(value: object) -> bool:
    """Returns whether a tensor is a wrapper of torch.func's transformations."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return False
    return bool(torch._C._functorch.is_functorch_wrapped_tensor(value) or torch._is_functional_tensor(value))


def _negated(kernel: str, name: str, value: object) -> LaunchError:
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}', {_shown(value)}, is the negative of what lies in its memory, "
        "expected a tensor whose elements are there",
        hint=f"pass {name}.resolve_neg()",
    )


def _lazy(kernel: str, name: str, value: object) -> LaunchError:
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' is an {_shown(memory_of(value))}, which has no shape and no elements "
        "yet; expected a tensor in CPU or CUDA memory",
        hint="call its module once before, which gives it a shape, or its method materialize(shape)",
    )


def _shrunk(kernel: str, name: str, value: object) -> LaunchError:
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}', {_shown(value)}, spans more than its storage, which has been resized "
        f"to {_storage_bytes(memory_of(value))} bytes",
        hint="resize the storage before the launch, or make a tensor of the size that is left",
    )


def _storage_bytes(value: Any) -> int:
    # A TensorWrapper has the tensor as its base.
    tensor: Any = value if hasattr(value, "untyped_storage") else getattr(value, "base", value)
    with sys.modules["torch"]._C.DisableTorchFunctionSubclass():
        return int(tensor.untyped_storage().nbytes())


def _masked(kernel: str, name: str, value: object) -> LaunchError:
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}', {_shown(value)}, has a mask, which a kernel does not see",
        hint=f"pass {name}.data and its mask as two arguments, or {name}.filled()",
    )


def _readable(name: str, value: object) -> str:
    """Returns a hint with a readable replacement for an unreadable object."""
    if _is_transformed(value):
        return _TRANSFORMED
    if getattr(value, "is_quantized", False):
        return f"pass {name}.int_repr(), or {name}.dequantize()"
    if not hasattr(value, "to_dense"):
        return f"pass an array of numbers, such as {name}.view('int64') for times"
    return f"pass a dense tensor, such as {name}.contiguous() or {name}.to_dense()"


def _dtype(kernel: str, name: str, value: object) -> LaunchError:
    dtype = getattr(memory_of(value), "dtype", type(value).__name__)
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' has dtype {dtype}, expected bool, an integer of 8 to 64 bits, "
        "float16, bfloat16, float32, float64 or an 8-bit float",
        hint="convert it, or view its memory as one of these types",
    )


def _type(kernel: str, name: str, value: object) -> LaunchError:
    hint = f"values known when the kernel is compiled go to a parameter annotated {name}: tl.constexpr"
    if isinstance(value, list):
        hint = f"pass tuple({name}), whose elements become arguments of the kernel"
        if value and all(isinstance(each, (bool, int, float)) for each in value):
            hint += f", or torch.tensor({name}), of which it gets a pointer"
    elif name.endswith("]"):
        hint = "an element known when the kernel is compiled is passed as tl.constexpr(...)"
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' is {type(value).__name__} {_shown(value)}, "
        "expected a tensor, an array, a number, None, or a tuple of these",
        hint=hint,
    )


def _read_only(kernel: str, name: str, value: object) -> LaunchError:
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' is read-only, and the kernel stores through it; "
        f"expected writable memory, got {_shown(value)}",
        hint=f"pass {name}.copy(), or an array whose flags.writeable is True",
    )


def _annotation(kernel: str, name: str, value: object, declared: str) -> LaunchError:
    kind = "a tensor" if declared == "const" or declared.startswith("*") else "a number"
    hint = f"pass {name}.item()" if hasattr(value, "item") and kind == "a number" else None
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' is declared '{declared}' and expects {kind}, "
        f"got {type(value).__name__} {_shown(value)}",
        hint=hint,
    )


def _declared_dtype(kernel: str, name: str, value: object, declared: str) -> LaunchError:
    if _is_descriptor(value) or declared.startswith("tensordesc<"):
        return LaunchError(
            f"argument '{name}' of kernel '{kernel}' is {_shown(value)}, but the kernel is compiled for '{declared}'",
            hint="a @blockdsl.jit function compiles for the block, the dtype and the padding of each descriptor",
        )
    dtype = getattr(value, "dtype", type(value).__name__)
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' has dtype {dtype}, but the kernel is compiled for '{declared}'",
        hint=f"convert the tensor, or compile the kernel for the type of '{name}'",
    )


def _unknown(kernel: str, name: str, parameters: Sequence[str], options: Collection[str]) -> LaunchError:
    folded = {each.lower(): each for each in (*options, *parameters)}
    close = difflib.get_close_matches(name.lower(), folded, n=1)
    hint = f"did you mean '{folded[close[0]]}'?" if close else f"its parameters are {', '.join(parameters)}"
    return LaunchError(f"kernel '{kernel}' has no parameter '{name}'", hint=hint)


def refusal(
    kernel: str,
    parameters: Sequence[str],
    options: Collection[str],
    reason: str,
    name: str | None,
    value: object,
    declared: str = "",
) -> LaunchError:
    """Returns the error for a reason of the launcher, located at the caller's line.

    Args:
        kernel: The kernel's name.
        parameters: Its parameters.
        options: The keywords that a launch takes besides them.
        reason: A key of the tables below, optionally followed by a colon and details.
        name: The argument.
        value: Its value.
        declared: The type or value that the kernel expects.
    """
    argument = name or ""
    if reason.startswith("unreadable: "):
        error = _unreadable(kernel, argument, value, reason.removeprefix("unreadable: "))
    elif reason == "unknown":
        error = _unknown(kernel, argument, parameters, options)
    elif reason == "grid":
        error = _grid(kernel, value)
    elif reason.startswith("cuda: "):
        error = gpu_errors.failure(kernel, reason.removeprefix("cuda: "), value)
    elif reason in ("annotation", "declared dtype", "declared value"):
        error = _DECLARED[reason](kernel, argument, value, declared)
    else:
        error = _OTHERS[reason](kernel, argument, value)
    error.location = caller()
    return error


def _declared_value(kernel: str, name: str, value: object, declared: str) -> LaunchError:
    return LaunchError(
        f"argument '{name}' of kernel '{kernel}' is {_shown(value)}, but the kernel is compiled for {declared}",
        hint="a @blockdsl.jit function without that declaration compiles what its arguments need",
    )


_DECLARED = {"annotation": _annotation, "declared dtype": _declared_dtype, "declared value": _declared_value}


def _plain(text: str, hint: str | None = None) -> Callable[[str, str, object], LaunchError]:
    """Returns a function that formats a message with the kernel, the argument's name and its value."""

    def make(kernel: str, name: str, value: object) -> LaunchError:
        fields = {"kernel": kernel, "name": name, "value": _shown(value)}
        return LaunchError(text.format(**fields), hint=hint and hint.format(**fields))

    return make


_OTHERS: dict[str, Callable[[str, str, object], LaunchError]] = {
    "type": _type,
    "device": _device,
    "dtype": _dtype,
    "devices": gpu_errors.devices,
    "compiled for": gpu_errors.compiled_for,
    "read-only": _read_only,
    "nothing": _nothing,
    "negated": _negated,
    "lazy": _lazy,
    "shrunk": _shrunk,
    "masked": _masked,
    "range": _plain("argument '{name}' of kernel '{kernel}' is {value}, expected an integer of at most 64 bits"),
    "missing": _plain(
        "kernel '{kernel}' needs an argument for its parameter '{name}', and got none",
        "pass it by position or as {name}=...",
    ),
    "twice": _plain("kernel '{kernel}' got parameter '{name}' twice: by position, and as {name}={value}"),
    "too many": _plain(
        "kernel '{kernel}' got more arguments than it has parameters, the first too many is {value}",
        "options such as num_warps are passed by keyword",
    ),
    "too many elements": _plain(
        "the tuples passed to kernel '{kernel}' have more than 1024 elements in all, or are themselves more than 1024",
        "pass the numbers in a tensor",
    ),
    "stream": _plain(
        "kernel '{kernel}' is launched on stream {value}, expected the number of a stream of CUDA's",
        "torch.cuda.Stream has it as cuda_stream",
    ),
    "no grid": _plain(
        "kernel '{kernel}' is called without a grid", "launch it as {kernel}[grid](...), such as {kernel}[(1,)](...)"
    ),
}
