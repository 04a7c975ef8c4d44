"""Functions of the host that Triton has at its top."""

from __future__ import annotations

from typing import Any

from blockdsl.language.op import LibraryFunction


@LibraryFunction
def cdiv(x: Any, y: Any) -> Any:
    """The integer quotient rounded up, of the host's numbers or of a kernel's.

    Example:
        grid = (blockdsl.cdiv(n, 1024),)
    """
    return (x + (y - 1)) // y


def must_use_result(x: Any, s: Any = True) -> Any:
    """Marks a function whose result must not be left unused; accepted for Triton's sake, and not checked.

    Example:
        @must_use_result("what it returns is the new state")
        def advanced(state): ...
    """
    del s
    return (lambda function: function) if isinstance(x, str) else x
