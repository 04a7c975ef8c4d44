"""Compile-time values: the `constexpr` mark and functions that run while the kernel is compiled.

In a kernel a compile-time value is a plain Python object; `constexpr` marks globals and parameters.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from ..errors import KernelSyntaxError
from .scalars import plain

P = ParamSpec("P")
R = TypeVar("R")


class constexpr:  # noqa: N801 - Triton's spelling
    """Marks a compile-time value.

    As an annotation (``BLOCK: tl.constexpr``) it marks a parameter or a local name. As a call it makes a global that
    kernels may read: ``LOG2E = tl.constexpr(1.44269504)``.

    Attributes:
        value: The Python value.
    """

    # The launcher reads this attribute of types: arguments of such types are part of the specialization.
    _is_compile_time = True

    def __init__(self, value: Any) -> None:
        self.value = unwrap(value)

    def logical_and(self, other: Any) -> constexpr:
        """Returns the result of Python's ``and``."""
        return constexpr(self.value and unwrap(other))

    def logical_or(self, other: Any) -> constexpr:
        """Returns the result of Python's ``or``."""
        return constexpr(self.value or unwrap(other))

    if TYPE_CHECKING:
        # A constexpr behaves like its value. The methods are defined below.
        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __floordiv__(self, other: Any) -> Any: ...
        def __rfloordiv__(self, other: Any) -> Any: ...
        def __mod__(self, other: Any) -> Any: ...
        def __rmod__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __and__(self, other: Any) -> Any: ...
        def __rand__(self, other: Any) -> Any: ...
        def __or__(self, other: Any) -> Any: ...
        def __ror__(self, other: Any) -> Any: ...
        def __xor__(self, other: Any) -> Any: ...
        def __rxor__(self, other: Any) -> Any: ...
        def __lshift__(self, other: Any) -> Any: ...
        def __rlshift__(self, other: Any) -> Any: ...
        def __rshift__(self, other: Any) -> Any: ...
        def __rrshift__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __neg__(self) -> Any: ...
        def __pos__(self) -> Any: ...
        def __invert__(self) -> Any: ...

    def __repr__(self) -> str:
        return f"constexpr[{self.value!r}]"

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __getitem__(self, key: Any) -> Any:
        return self.value[unwrap(key)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **kwargs)


def unwrap(value: Any) -> Any:
    """Returns the plain value of a constexpr; anything else unchanged."""
    return value.value if isinstance(value, constexpr) else value


def unwrapped(values: Any) -> Any:
    """Returns a tuple or list with plain values in place of constexprs; a named tuple keeps its type."""
    items = [each.value for each in values]
    return values._make(items) if hasattr(values, "_fields") else type(values)(items)


def not_constant(name: str, value: Any, *, is_enclosed: bool = False) -> KernelSyntaxError:
    """Returns the error for a kernel that reads a mutable global or variable of an enclosing function."""
    description = f"the variable '{name}' of the enclosing function" if is_enclosed else f"the global '{name}'"
    if hasattr(value, "shape"):
        hint = "pass it as an argument: the kernel gets a pointer to its first element"
    elif is_enclosed:
        hint = f"pass it as an argument: declare a parameter `{name}: tl.constexpr`, and launch with {name}={name}"
    else:
        hint = f"write {name} = tl.constexpr({value!r}), or pass it as an argument"
    return KernelSyntaxError(f"{description} is not a compile-time constant, got {value!r}", hint=hint)


def _forward(name: str) -> None:
    function: Callable[..., Any] = getattr(operator, name)
    # Methods have the names of the functions in `operator` with underscores (`and_` is `__and__`).
    method = f"__{name.strip('_')}__"

    def forward(self: constexpr, other: Any) -> Any:
        return function(self.value, unwrap(other))

    def reflected(self: constexpr, other: Any) -> Any:
        return function(unwrap(other), self.value)

    setattr(constexpr, method, forward)
    setattr(constexpr, f"__r{name.strip('_')}__", reflected)


def _forward_unary(name: str) -> None:
    function: Callable[..., Any] = getattr(operator, name)
    setattr(constexpr, f"__{name}__", lambda self: function(self.value))


_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift")
for _name in (*_ARITHMETIC, "eq", "ne", "lt", "le", "gt", "ge"):
    _forward(_name)
for _name in ("neg", "pos", "invert"):
    _forward_unary(_name)


class ConstexprFunction(Generic[P, R]):
    """A Python function that kernels may call on compile-time values, and that runs while the kernel is compiled."""

    _is_compile_time = True

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        given = [plain(unwrap(value)) for value in args]
        named = {name: plain(unwrap(value)) for name, value in kwargs.items()}
        return self.function(*given, **named)


def constexpr_function(fn: Callable[P, R]) -> ConstexprFunction[P, R]:
    """Lets kernels call a Python function on compile-time values.

    Example:
        @blockdsl.constexpr_function
        def log2(n):
            return n.bit_length() - 1
    """
    return ConstexprFunction(fn)


@constexpr_function
def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not less than ``n``; as in Triton 0 if ``n`` is 0 or negative.

    It can be called on the host, and on compile-time values in a kernel.

    Example:
        BLOCK = blockdsl.next_power_of_2(columns)
    """
    return 1 << (n - 1).bit_length() if n > 0 else 0
