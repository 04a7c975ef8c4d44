"""Clocks and processor ids, where a program on a CPU has one thread; and float8e4b15 under Triton's names."""

from __future__ import annotations

from typing import Any

from ...debug import static_assert
from ...inline_asm import inline_asm_elementwise
from ...op import LibraryFunction
from ...tensor import tensor
from ...types import float8e4b15, float16, int32, int64


@LibraryFunction
def globaltimer() -> tensor:
    """The time in nanoseconds since an arbitrary point that is the same for all programs, an int64.

    Example:
        start = globaltimer()
    """
    time: tensor = inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=int64, is_pure=False, pack=1)
    return time


@LibraryFunction
def smid() -> tensor:
    """The multiprocessor of the program, an int32; on a CPU the index among the processors available to the process.

    Example:
        where = smid()
    """
    number: tensor = inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=int32, is_pure=True, pack=1)
    return number


@LibraryFunction
def num_threads() -> int:
    """The number of threads of a program: 1.

    Example:
        share = n // num_threads()
    """
    return 1


@LibraryFunction
def num_warps() -> int:
    """The number of warps of a program: 1.

    Example:
        share = n // num_warps()
    """
    return 1


@LibraryFunction
def convert_fp8e4b15_to_float16(arg: Any) -> Any:
    """Converts float8e4b15 to float16, which is exact.

    Example:
        y = convert_fp8e4b15_to_float16(x)
    """
    static_assert(arg.dtype == float8e4b15, "convert_fp8e4b15_to_float16 expects float8e4b15")
    return arg.to(float16)


@LibraryFunction
def convert_float16_to_fp8e4b15(arg: Any, has_minx2: Any) -> Any:
    """Converts float16 to float8e4b15: to the nearest, ties away from zero, at most 1.75. ``has_minx2`` has no effect.

    Example:
        y = convert_float16_to_fp8e4b15(x, has_minx2=True)
    """
    static_assert(arg.dtype == float16, "convert_float16_to_fp8e4b15 expects float16")
    return arg.to(float8e4b15)


@LibraryFunction
def convert_custom_float8(arg: Any, dst_ty: Any, fp_downcast_rounding: Any, has_minx2: Any) -> Any:
    """Converts float8e4b15 to or from float16 or float32. The last two arguments have no effect.

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
    """Triton's ``convert_custom_float8`` for GPUs of capability 8.0 and later.

    Example:
        y = convert_custom_float8_sm80(x, tl.float8e4b15)
    """
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding, has_minx2=True)


@LibraryFunction
def convert_custom_float8_sm70(arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None) -> Any:
    """Triton's ``convert_custom_float8`` for GPUs of capability 7.0, with equal results.

    Example:
        y = convert_custom_float8_sm70(x, tl.float8e4b15)
    """
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding, has_minx2=False)
