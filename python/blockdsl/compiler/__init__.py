"""Compilation of kernels to machine code: stages, options, targets and the disk cache."""

from blockdsl.compiler import compiler
from blockdsl.compiler.compiler import *  # noqa: F403 - Triton's package and its module export the same names
from blockdsl.compiler.compiler import __all__ as _names

__all__ = [*_names, "compiler"]
