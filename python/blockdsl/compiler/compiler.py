"""Compiling, under the names of Triton's module: those of the package."""

from blockdsl.compiler import *  # noqa: F403
from blockdsl.compiler import __all__ as __all__
