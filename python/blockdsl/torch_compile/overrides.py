"""Replacements of Inductor's Triton ops whose results differ from torch's on a CPU.

Graphs on a GPU use Inductor's own ops.
"""

from __future__ import annotations

import functools
from typing import Any

import sympy
import torch
from torch._inductor.codegen.triton import TritonKernel, TritonKernelOverrides, TritonPrinter
from torch._inductor.virtualized import V, ops
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

_INT32 = torch.iinfo(torch.int32)


class _Printer(TritonPrinter):
    """Prints an expression of integers so that it is evaluated in int64."""

    def _print_Symbol(self, expr: sympy.Symbol) -> str:  # noqa: N802
        name = str(super()._print_Symbol(expr))
        return f"tl.cast({name}, tl.int64)" if expr.is_integer else name


_printed_in_int64 = _Printer().doprint


def _fits_int32(expression: Any, kernel: Any) -> bool:
    """Returns True if neither the expression nor any part of it leaves int32."""
    extents = kernel.var_ranges()
    ranges = {symbol: ValueRanges(0, extent - 1) for symbol, extent in extents.items() if extent.is_Integer}
    bounds = (bound_sympy(subexpression, ranges) for subexpression in sympy.preorder_traversal(expression))
    return all(bound.lower >= _INT32.min and bound.upper <= _INT32.max for bound in bounds)


class Overrides(TritonKernelOverrides):
    """Translations of torch's ops to Triton code for a CPU."""

    @staticmethod
    def signbit(x: Any) -> str:
        """Reads the sign bit, which a comparison with zero would miss for negative zeros and NaNs."""
        if not x.dtype.is_floating_point or x.dtype == torch.float32:
            return str(TritonKernelOverrides.signbit(x))  # type: ignore[no-untyped-call]
        return f"({x}.to(tl.int{8 * x.dtype.itemsize}, bitcast=True) < 0)"

    @staticmethod
    def floordiv(a: Any, b: Any) -> Any:
        """Divides in the operands' type. Inductor's int32 constants would widen narrower types."""
        dtype = torch.promote_types(a.dtype, b.dtype)
        a, b = (each if each.dtype == dtype else ops.to_dtype(each, dtype) for each in (a, b))
        quotient = ops.truncdiv(a, b)
        remainder = ops.sub(a, ops.mul(quotient, b))
        zero = ops.constant(0, dtype)
        is_less = ops.and_(ops.ne(remainder, zero), ops.ne(ops.lt(remainder, zero), ops.lt(b, zero)))
        return ops.where(is_less, ops.sub(quotient, ops.constant(1, dtype)), quotient)

    @staticmethod
    def relu(x: Any) -> Any:
        """Returns the maximum with a zero of the operand's type."""
        return ops.maximum(ops.constant(0, x.dtype), x)

    @classmethod
    def value_expr(cls, expr: Any, dtype: torch.dtype) -> Any:
        """Returns an index expression used as a value, computed in int64. Inductor computes it in int32 first."""
        kernel: Any = V.kernel
        write: Any = super().value_expr
        if dtype == torch.int32 or _fits_int32(expr, kernel):
            return write(expr, dtype)
        kernel.index_to_str = lambda index: _printed_in_int64(kernel.rename_indexing(index))
        try:
            return write(expr, dtype)
        finally:
            del kernel.index_to_str


def _overrides(_: Any) -> Any:
    handlers: Any = Overrides if V.graph.get_current_device_or_throw().type == "cpu" else TritonKernelOverrides
    return handlers()


@functools.cache
def install() -> None:
    """Makes Inductor use these ops in all Triton kernels for the CPU."""
    kernel: Any = TritonKernel
    # Inductor calls it as the class that it replaces, on a kernel.
    kernel.overrides = _overrides
