"""From a Python function to a module of the tt dialect. It knows no target."""

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
    """The kernel as a verified module: one public function, called ``name`` or as the source is, and private ones that
    it calls. See build.py.

    Raises:
        KernelSyntaxError: The kernel uses a construct that is not part of the language.
        TypeMismatchError: Types or shapes do not fit.
        CompileTimeAssertionError: A ``tl.static_assert`` is false.

    Example:
        module = build_module(kernel.source, Specialization({"x_ptr": "*fp32"}, {"BLOCK": 128}), ir.Context())
    """
    # A kernel from the disk cache is launched without the compiler, which is loaded here.
    from .build import build_module as build

    return build(source, specialization, context, name)


def build_functions(wanted: Sequence[tuple[str, Any, Sequence[Type]]], context: Context) -> Module:
    """A module of private functions, each with its symbol, function of the language and arguments' types. See build.py.

    Example:
        module = build_functions([("__nv_clz", FUNCTIONS["clz"], [block_type(int32, (64,))])], ir.Context())
    """
    from .build import build_functions as build

    return build(wanted, context)
