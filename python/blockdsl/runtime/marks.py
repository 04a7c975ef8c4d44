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
    """Marks a jit function whose result a kernel must not leave unused.

    Args:
        x: The function, or what to say where it is left unused.
        s: Whether it must be used, or what to say.

    Example:
        @blockdsl.must_use_result("what it returns is the new state")
        @blockdsl.jit
        def advanced(state): ...
    """
    if isinstance(x, str):
        return lambda function: must_use_result(function, x)
    x._must_use_result = s
    return x
