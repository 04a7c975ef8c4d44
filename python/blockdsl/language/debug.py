"""Assertions and prints, at compile time and at run time, and assumptions for the compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import CompileTimeAssertionError, KernelAssertionError, expects
from . import attributes
from .cast import cast
from .constexpr import unwrap
from .elementwise import invert, or_
from .op import Emitter, Mode, library, op
from .shape import as_tensor
from .tensor import tensor
from .types import dtype, get_int_dtype, int1


@op()
def static_assert(cond: Any, msg: str = "") -> None:
    """Stops compilation unless a compile-time condition holds.

    Args:
        cond: A compile-time value.
        msg: The error's message; may be an f-string of compile-time values.

    Raises:
        CompileTimeAssertionError: The condition is false.
        TypeMismatchError: The condition is known only at run time.

    Example:
        tl.static_assert(BLOCK % 16 == 0, f"BLOCK must be a multiple of 16, got {BLOCK}")
    """


def _static_assert(e: Any, cond: Any, msg: str) -> None:
    cond, text = unwrap(cond), str(unwrap(msg))
    expects(
        not isinstance(cond, tensor) or not hasattr(e, "note"),
        f"'static_assert' expects a compile-time condition, got a value of type {getattr(cond, 'type', '')}",
        hint="use tl.device_assert for values known at run time",
    )
    if not cond:
        raise CompileTimeAssertionError(f"static_assert failed: {text}" if text else "static_assert failed")


static_assert.emit(_static_assert)
static_assert.reference(_static_assert)


@op(operands=lambda mode, values, sep, end, *rest: (values, unwrap(sep), unwrap(end), *rest))
def static_print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    """Prints compile-time values while the kernel is compiled.

    Args:
        values: The values, printed as by Python's ``print``.
        sep: The separator of values.
        end: The end of the line.
        file: Accepted for compatibility with Triton: the text goes to standard output.
        flush: Accepted for compatibility with Triton.

    Example:
        tl.static_print("block size", BLOCK)
    """


@static_print.emit
def _emit_static_print(e: Emitter, values: tuple[Any, ...], sep: str, end: str, file: Any, flush: Any) -> None:
    e.note(sep.join(str(unwrap(value)) for value in values) + end)


@static_print.reference
def _reference_static_print(e: Any, values: tuple[Any, ...], sep: str, end: str, file: Any, flush: Any) -> None:
    # Printed by the first program only, as a compilation prints once.
    if e.program == (0, 0, 0):
        e.note(sep.join(str(unwrap(value)) for value in values) + end)


def _print_operands(mode: Mode, prefix: Any, args: Any, hex: Any) -> tuple[Any, ...]:
    text = unwrap(prefix)
    expects(isinstance(text, str) and text.isascii(), f"'device_print' expects an ASCII text first, got {text!r}",
            hint='as in tl.device_print("x", x)')  # fmt: skip
    return text, tuple(as_tensor(mode, value) for value in args), bool(unwrap(hex))


def _prefix(text: str, has_operands: bool) -> str:
    """Returns the prefix of each value: as in Triton it begins with a blank, and ends with a colon and a blank."""
    if has_operands and not text.endswith(": "):
        text = f"{text.removesuffix(' ')}: "
    return f" {text}" if len(text) > 2 and not text.startswith(" ") else text


@op(operands=_print_operands)
def device_print(prefix: str, *args: Any, hex: bool = False) -> None:
    """Prints values while the kernel runs: one line for each element, with the program's position and its indices.

    The format is that of Triton's GPU back ends, in compiled and interpreted kernels::

        pid (0, 0, 0) idx ( 7) x: 1.500000
        pid (0, 0, 0) idx () n: 64
        pid (0, 0, 0) idx ( 3, 12) x: (operand 0) -4        # the first of several operands

    Integers and bools are decimal, floats have six decimals, pointers are hexadecimal. A program prints in the order of
    its statements. Lines of several programs, and of the elements of a block, are printed in any order, but never
    mixed.

    Args:
        prefix: A text before each value, or the whole text if there are no values.
        args: Scalars or blocks.
        hex: Print the bits of each value as a hexadecimal number with all digits.

    Raises:
        TypeMismatchError: The first argument is no text.

    Example:
        tl.device_print("sum", total)
    """


@device_print.emit
def _emit_device_print(e: Emitter, prefix: str, args: tuple[tensor, ...], hex: bool) -> Any:
    signed = [int(isinstance(value.dtype, dtype) and value.dtype.is_int_signed()) for value in args]
    given = {
        "prefix": attributes.string(_prefix(prefix, bool(args))),
        "hex": attributes.boolean(hex),
        "isSigned": attributes.i32_array(signed),
    }
    return e.create("tt.print", *args, attributes=given, result=())


@device_print.reference
def _reference_device_print(e: Any, prefix: str, args: tuple[tensor, ...], hex: bool) -> None:
    program, text = f"pid ({', '.join(map(str, e.program))})", _prefix(prefix, bool(args))
    if not args:
        e.note(f"{program}{text}\n")
    for number, value in enumerate(args):
        operand = f"(operand {number}) " if len(args) > 1 else ""
        text_of = _shown(e, value, hex)
        # Indices are padded to the width of the largest one.
        widths = [len(str(extent - 1)) if extent > 1 else 0 for extent in value.shape]
        for index in np.ndindex(tuple(value.shape)):
            indices = ", ".join(f"{i:{width}d}" for i, width in zip(index, widths, strict=True))
            e.note(f"{program} idx ({indices}){text}{operand}{text_of(index)}\n")


def _shown(e: Any, value: tensor, hex: bool) -> Callable[[tuple[int, ...]], str]:
    """Returns a function that formats the element at an index."""
    kind = value.dtype
    bits = 64 if kind.is_ptr() else kind.primitive_bitwidth
    if kind.is_ptr() or hex:
        if kind.is_floating():
            value = e.run(cast, (value, get_int_dtype(bits, False)), {"bitcast": True})
        return lambda index: f"0x{int(value.handle[index]) % (1 << bits):0{bits // 4}x}"
    if not kind.is_floating():
        return lambda index: str(int(value.handle[index]))
    # The sign of a NaN is not printed.
    return lambda index: f"{float(value.handle[index]):.6f}".replace("-nan", "nan")


def _assert_operands(mode: Mode, cond: Any, msg: Any, mask: Any) -> tuple[Any, ...]:
    value = as_tensor(mode, cond)
    expects(
        isinstance(value.dtype, dtype) and value.dtype.is_int(),
        f"'device_assert' expects a condition of bools, got {value.dtype}",
    )
    if unwrap(mask) is not None:
        hidden = mode.run(invert, (as_tensor(mode, mask),), {})
        value = mode.run(or_, (value, hidden), {})
    return value, str(unwrap(msg)), None


@op(operands=_assert_operands)
def device_assert(cond: tensor, msg: str = "", mask: tensor | None = None) -> None:
    """Stops the launch with an exception if a condition is false while the kernel runs.

    Args:
        cond: A scalar or block of bools.
        msg: The exception's message.
        mask: Elements where it is false are not checked.

    Raises:
        KernelAssertionError: At run time, from the launch, when an element is false.

    Example:
        tl.device_assert(index < n, "index out of range", mask=mask)
    """


@device_assert.emit
def _emit_device_assert(e: Emitter, cond: tensor, msg: str, mask: None) -> Any:
    return e.create("tt.assert", cond, attributes={"message": attributes.string(msg)}, result=())


@device_assert.reference
def _reference_device_assert(e: Any, cond: tensor, msg: str, mask: None) -> None:
    if not np.all(cond.handle):
        program = ", ".join(map(str, e.program))
        raise KernelAssertionError(f"device_assert failed in program ({program}): {msg}")


@op()
def debug_barrier() -> None:
    """Waits for the other threads of the program. A program on the CPU has one, so nothing happens.

    Example:
        tl.debug_barrier()
    """


@debug_barrier.emit
def _emit_debug_barrier(e: Emitter) -> Any:
    return e.create("ttg.barrier", attributes={"addrSpace": "31 : i32"}, result=())


@debug_barrier.reference
def _reference_debug_barrier() -> Any:
    return None


@op(operands=lambda mode, cond: (as_tensor(mode, cond),))
def assume(cond: tensor) -> None:
    """Lets the compiler assume that a scalar condition always holds.

    Example:
        tl.assume(stride > 0)
    """


@assume.emit
def _emit_assume(e: Emitter, cond: tensor) -> Any:
    expects(cond.dtype == int1 and not cond.shape, f"'assume' expects a scalar bool, got {cond.type}")
    return e.create("llvm.intr.assume", cond, attributes={"op_bundle_sizes": "array<i32>"}, result=())


@assume.reference
def _reference_assume(e: Any, cond: tensor) -> Any:
    return None


@library()
def expect_zero(x: tensor, mask: tensor) -> tensor:
    """Returns a block unchanged whose elements are expected to be zero where ``mask`` is true.

    Args:
        x: A block.
        mask: Bools, true for elements expected to be zero. Triton checks them in kernels compiled for debugging.

    Example:
        p = tl.expect_zero(tl.exp(scores), scores < -200.0)
    """
    return x


def _hint(name: str, attribute: str, meaning: str) -> Any:
    """Declares an assumption about a block of integers or pointers, which is returned unchanged."""

    def declared(input: tensor, values: Sequence[int]) -> tensor:
        raise NotImplementedError  # The decorator replaces the body.

    declared.__name__ = name
    declared.__doc__ = f"""Promises that {meaning}; the value itself is passed on.

    Args:
        input: A scalar or block.
        values: One compile-time integer for each dimension.

    Raises:
        TypeMismatchError: A number is missing, or known only at run time.

    Example:
        offsets = tl.{name}(offsets, 16)
    """

    def operands(mode: Mode, input: Any, values: Any) -> tuple[Any, ...]:
        given = unwrap(values)
        numbers = [unwrap(one) for one in given] if isinstance(given, (tuple, list)) else [given]
        value = as_tensor(mode, input)
        for number in numbers:
            expects(isinstance(number, int), f"'{name}' expects compile-time integers, got {number!r}")
        expects(
            len(numbers) == max(len(value.shape), 1),
            f"'{name}' expects one number for each of {len(value.shape)} dimensions, got {len(numbers)}",
        )
        return value, numbers

    made = op(operands=operands)(declared)

    @made.emit
    def emit(e: Emitter, input: tensor, values: list[int]) -> Any:
        # As in Triton's text, the op that defines the value has the attribute.
        e.hint(input, attribute, f"dense<{values if len(set(values)) > 1 else values[0]}> : tensor<{len(values)}xi32>")
        return input

    @made.reference
    def reference(e: Any, input: tensor, values: list[int]) -> Any:
        return input

    return made


multiple_of = _hint("multiple_of", "tt.divisibility", "the first of each run of values is a multiple of a number")
max_contiguous = _hint("max_contiguous", "tt.contiguity", "so many neighbors are consecutive numbers")
max_constancy = _hint("max_constancy", "tt.constancy", "so many neighbors are equal")
