"""Back ends, one module per kind of machine. Only these modules import third-party compilers."""

from blockdsl.backends import compiler

__all__ = ["compiler"]
