"""One module a machine: the only places that import a third party's compiler."""

from blockdsl.backends import compiler

__all__ = ["compiler"]
