"""Errors of ours as Triton's: an ``except`` clause that names a class of Triton's catches ours too.

Triton's tuner is one of those who do: it leaves out a configuration whose kernel needs more than there is.
"""

from __future__ import annotations

import functools
from typing import Any

from blockdsl.errors import BlockdslError, KernelError, OutOfResourcesError


def as_tritons(error: BlockdslError) -> BlockdslError:
    """The same error, which is now of Triton's class as well; one that Triton has no class for stays as it is."""
    kind: Any = type(error)
    if issubclass(kind, (KernelError, OutOfResourcesError)) and not hasattr(kind, "_ours"):
        error.__class__ = _both(kind)
    return error


@functools.cache
def _both(kind: type[BlockdslError]) -> Any:
    """A class of ours that is Triton's, too."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import OutOfResources

    theirs = OutOfResources if issubclass(kind, OutOfResourcesError) else CompilationError
    # Tracebacks and pickles have the name of ours.
    own = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__reduce__": _reduced, "_ours": kind}
    return type(kind.__name__, (kind, theirs), own)


def _reduced(error: Any) -> tuple[Any, ...]:
    return _rebuilt, (error._ours, error.args, vars(error))


def _rebuilt(kind: type[BlockdslError], args: tuple[Any, ...], attributes: dict[str, Any]) -> BlockdslError:
    error = kind(*args)
    vars(error).update(attributes)
    return as_tritons(error)
