"""Clocks and processor ids, on a CPU of one thread on one processor; and float8e4b15 by Triton's names."""

from __future__ import annotations

from typing import Any

from ...debug import static_assert
from ...inline_asm import inline_asm_elementwise
from ...op import LibraryFunction
from ...tensor import tensor
from ...types import float8e4b15, float16, int32, int64


@LibraryFunction
def globaltimer() -> tensor:
    """The time in nanoseconds since some time or other, an int64; the same for all programs.

    Example:
        start = globaltimer()
    """
    time: tensor = inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=int64, is_pure=False, pack=1)
    return time


@LibraryFunction
def smid() -> tensor:
    """The multiprocessor that the program runs on, an int32; on a CPU which of the processors that the process may use.

    Example:
        where = smid()
    """
    number: tensor = inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=int32, is_pure=True, pack=1)
    return number


@LibraryFunction
def num_threads() -> int:
    """How many threads run a program: one.

    Example:
        share = n // num_threads()
    """
    return 1


@LibraryFunction
def num_warps() -> int:
    """How many warps run a program: one.

    Example:
        share = n // num_warps()
    """
    return 1


@LibraryFunction
def convert_fp8e4b15_to_float16(arg: Any) -> Any:
    """The numbers of 8 bits as float16, which is exact.

    Example:
        y = convert_fp8e4b15_to_float16(x)
    """
    static_assert(arg.dtype == float8e4b15, "convert_fp8e4b15_to_float16 expects float8e4b15")
    return arg.to(float16)


@LibraryFunction
def convert_float16_to_fp8e4b15(arg: Any, has_minx2: Any) -> Any:
    """float16 as numbers of 8 bits, to the nearest, ties away from zero, at most 1.75; ``has_minx2`` changes nothing.

    Example:
        y = convert_float16_to_fp8e4b15(x, has_minx2=True)
    """
    static_assert(arg.dtype == float16, "convert_float16_to_fp8e4b15 expects float16")
    return arg.to(float8e4b15)


@LibraryFunction
def convert_custom_float8(arg: Any, dst_ty: Any, fp_downcast_rounding: Any, has_minx2: Any) -> Any:
    """A conversion from float8e4b15 to float16 or float32, or to it from one of these. The last two change nothing.

    Example:
        y = convert_custom_float8(x, tl.float8e4b15, None, True)
    """
    static_assert(
        (arg.dtype == float8e4b15) != (dst_ty.scalar == float8e4b15),
        "convert_custom_float8 expects float8e4b15 on one side",
    )
    return arg.to(dst_ty.scalar)


@LibraryFunction
def convert_custom_float8_sm80(arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None) -> Any:
    """``convert_custom_float8``, as Triton has it for GPUs of capability 8.0 and later.

    Example:
        y = convert_custom_float8_sm80(x, tl.float8e4b15)
    """
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding, has_minx2=True)


@LibraryFunction
def convert_custom_float8_sm70(arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None) -> Any:
    """The same for those of capability 7; the numbers are equal.

    Example:
        y = convert_custom_float8_sm70(x, tl.float8e4b15)
    """
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding, has_minx2=False)
