"""Host functions of Triton's top-level package."""

from __future__ import annotations

from typing import Any

from blockdsl.language.op import LibraryFunction


@LibraryFunction
def cdiv(x: Any, y: Any) -> Any:
    """Returns the integer quotient rounded up, on the host or in a kernel.

    Example:
        grid = (blockdsl.cdiv(n, 1024),)
    """
    return (x + (y - 1)) // y


def must_use_result(x: Any, s: Any = True) -> Any:
    """Marks a jit function whose result a kernel must not leave unused.

    Args:
        x: The function, or the message for an unused result.
        s: Whether the result must be used, or the message.

    Example:
        @blockdsl.must_use_result("what it returns is the new state")
        @blockdsl.jit
        def advanced(state): ...
    """
    if isinstance(x, str):
        return lambda function: must_use_result(function, x)
    x._must_use_result = s
    return x
