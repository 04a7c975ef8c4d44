"""Values in a kernel: scalars, pointers and blocks. The modules of ops define the operators."""

from __future__ import annotations

from math import prod
from typing import Any

from ..errors import KernelSyntaxError, MissingNameError, TypeMismatchError
from .extents import Shape
from .op import METHODS, OPS, Methods, current_mode
from .types import Scalar, Type


class tensor(Methods):  # noqa: N801 - Triton's spelling
    """A value inside a kernel.

    Attributes:
        handle: The IR value while the kernel is compiled; a NumPy array while it is interpreted.
        type: A dtype, a pointer type, or a block type.

    Example:
        x = tl.load(pointers)          # shape (128,), dtype tl.float32
        total = (x * 2).sum(0)
    """

    # `known` is the value of a constant, so that its broadcast is a constant, too.
    __slots__ = ("handle", "known", "type")
    __hash__ = object.__hash__

    def __init__(self, handle: Any, type: Type, known: int | float | bool | None = None) -> None:
        self.handle = handle
        self.type = type
        self.known = known

    @property
    def dtype(self) -> Scalar:
        """Type of one element."""
        return self.type.scalar

    @property
    def shape(self) -> Shape:
        """Extents; empty for a scalar. A list of the same extents is equal to it."""
        return self.type.shape

    @property
    def numel(self) -> int:
        """Number of elements; 1 for a scalar."""
        return prod(self.shape)

    @property
    def T(self) -> Any:  # noqa: N802 - as in torch and NumPy
        """The transpose of a matrix."""
        return OPS["trans"](self)

    def __getattr__(self, name: str) -> Any:
        from .suggestions import method_instead

        hint = None if name[:1] == "_" else method_instead(name, METHODS)
        raise MissingNameError(f"a block has no attribute '{name}'", hint=hint)

    # Disables Python's iteration by indices, and NumPy's operators on arrays.
    __iter__ = None
    __array_ufunc__ = None

    def __repr__(self) -> str:
        return f"tensor<{self.type}>({self.handle!r})" if _interpreting() else f"tensor<{self.type}>"

    def __bool__(self) -> bool:
        return bool(self._number("a condition"))

    def __index__(self) -> int:
        if not getattr(self.dtype, "is_int", bool)():
            raise TypeMismatchError(f"an integer is expected, got {self.type}")
        return int(self._number("an integer"))

    def __int__(self) -> int:
        return int(self._number("'int'"))

    def __float__(self) -> float:
        return float(self._number("'float'"))

    def _number(self, subject: str) -> Any:
        if not _interpreting():
            raise KernelSyntaxError(
                f"{subject} must be known when the kernel is compiled, got a value of type {self.type}"
            )
        if self.handle.size != 1:
            raise KernelSyntaxError(
                f"{subject} must be a single value, got a block of shape {self.shape}",
                hint="use tl.where, &, | and ~ on blocks",
            )
        return self.handle.reshape(())[()]


def _interpreting() -> bool:
    # The interpreter's values are NumPy arrays with a `size`; IR values have none.
    return hasattr(current_mode(), "program")


# Python operator -> op. The front end's table of operators uses the same dictionary.
OPERATORS: dict[str, str] = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "truediv", "__floordiv__": "floordiv",
    "__mod__": "mod", "__and__": "and_", "__or__": "or_", "__xor__": "xor", "__lshift__": "shl", "__rshift__": "shr",
    "__lt__": "less_than", "__le__": "less_equal", "__gt__": "greater_than", "__ge__": "greater_equal",
    "__eq__": "equal", "__ne__": "not_equal", "__neg__": "neg", "__pos__": "pos", "__invert__": "invert",
    "__getitem__": "subscript",
}  # fmt: skip


def _operator(name: str) -> Any:
    def method(self: tensor, *operand: Any) -> Any:
        return OPS[name](self, *operand)

    return method


def _reflected(name: str) -> Any:
    def method(self: tensor, other: Any) -> Any:
        return OPS[name](other, self)

    return method


for _method, _name in OPERATORS.items():
    setattr(tensor, _method, _operator(_name))
    if _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "shl", "shr"):
        setattr(tensor, f"__r{_method.strip('_')}__", _reflected(_name))
