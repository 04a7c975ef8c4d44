"""Front end: compiles a Python function to a module of the tt dialect, independent of the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .source import KernelSource as KernelSource
from .source import Specialization as Specialization

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..language.types import Type
    from .emitter import Context, Module


def build_module(
    source: KernelSource, specialization: Specialization, context: Context, name: str | None = None
) -> Module:
    """Returns the kernel as a verified module: one public function, named ``name`` or like the source, and the private
    functions that it calls. See build.py.

    Raises:
        KernelSyntaxError: The kernel uses a construct that is not part of the language.
        TypeMismatchError: Types or shapes do not fit.
        CompileTimeAssertionError: A ``tl.static_assert`` is false.

    Example:
        module = build_module(kernel.source, Specialization({"x_ptr": "*fp32"}, {"BLOCK": 128}), ir.Context())
    """
    # The import loads the compiler, which kernels from the disk cache do not need.
    from .build import build_module as build

    return build(source, specialization, context, name)


def build_functions(requested: Sequence[tuple[str, Any, Sequence[Type]]], context: Context) -> Module:
    """Returns a module of private functions, each given by symbol, function and argument types. See build.py.

    Example:
        module = build_functions([("__nv_clz", FUNCTIONS["clz"], [block_type(int32, (64,))])], ir.Context())
    """
    from .build import build_functions as build

    return build(requested, context)
