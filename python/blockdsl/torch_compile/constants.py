"""Functions that Dynamo calls while it traces, and whose result is a constant of the graph.

Their arguments are constants, too. Since torch 2.13 any object is accepted, with a guard on its identity. Earlier
versions accept only numbers and text, and fail for a kernel; the patch here adds the behavior of 2.13.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from torch._dynamo.guards import GuardBuilder, install_guard
from torch._dynamo.variables import functions
from torch._dynamo.variables.user_defined import UserDefinedObjectVariable

from blockdsl.torch_compile import versions

F = TypeVar("F", bound=Callable[..., Any])


def constant(function: F) -> F:
    """Marks a function as ``torch.compiler.assume_constant_result`` does; its arguments may be objects."""
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


class _Itself:
    """A replacement for Dynamo's variable of an object that has the object as its constant value."""

    def __init__(self, variable: Any) -> None:
        if variable.source is not None:
            install_guard(variable.source.make_guard(GuardBuilder.ID_MATCH))
        self._value = variable.value

    def is_tensor(self) -> bool:
        return False

    def as_python_constant(self) -> Any:
        return self._value


def _take_objects() -> None:
    """Makes Dynamo accept objects as arguments of these functions."""
    invoke: Any = functions.invoke_and_store_as_constant

    @functools.wraps(invoke)
    def invoked(tx: Any, fn: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        named = {key: _with_constant_object(variable) for key, variable in kwargs.items()}
        return invoke(tx, fn, name, [_with_constant_object(variable) for variable in args], named)

    functions.invoke_and_store_as_constant = invoked


def _with_constant_object(variable: Any) -> Any:
    # Dynamo's variables are lazy until they are realized.
    realized = variable.realize()
    return _Itself(realized) if isinstance(realized, UserDefinedObjectVariable) else variable


if versions.IS_BEFORE_2_13:
    _take_objects()
