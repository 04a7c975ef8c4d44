"""Conversion of our errors to classes that also derive from Triton's, for ``except`` clauses with Triton's classes.

For example, Triton's tuner skips configurations whose kernels raise its OutOfResources.
"""

from __future__ import annotations

import functools
from typing import Any

from blockdsl.errors import BlockdslError, KernelError, OutOfResourcesError


def as_tritons(error: BlockdslError) -> BlockdslError:
    """Changes an error's class to one that derives from Triton's class, too, if there is one. Returns the error."""
    kind: Any = type(error)
    if issubclass(kind, (KernelError, OutOfResourcesError)) and not hasattr(kind, "_ours"):
        error.__class__ = _both(kind)
    return error


@functools.cache
def _both(kind: type[BlockdslError]) -> Any:
    """Returns a class that derives from ours and Triton's."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import OutOfResources

    triton_class = OutOfResources if issubclass(kind, OutOfResourcesError) else CompilationError
    # Tracebacks and pickles contain the name of our class.
    namespace = {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__reduce__": _reduced,
        "_ours": kind,
    }
    return type(kind.__name__, (kind, triton_class), namespace)


def _reduced(error: Any) -> tuple[Any, ...]:
    return _rebuilt, (error._ours, error.args, vars(error))


def _rebuilt(kind: type[BlockdslError], args: tuple[Any, ...], attributes: dict[str, Any]) -> BlockdslError:
    error = kind(*args)
    vars(error).update(attributes)
    return as_tritons(error)
