"""Values of names in the front end: tensors, plain Python objects, and tuples of both.

A value's tensors are its leaves. Ifs, loops and calls split a value into leaves and reassemble it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import TypeMismatchError
from ..language import block_pointer
from ..language.descriptor import DESCRIPTOR_METHODS, tensor_descriptor
from ..language.scalars import ScalarNumber, literal_type
from ..language.tensor import tensor
from ..language.types import Type


@dataclass(frozen=True)
class Undefined:
    """The value of a name that is undefined on some path. Reading it is an error with this reason.

    Attributes:
        reason: The end of the sentence "'x' is ...".
        hint: A remedy.
    """

    reason: str
    hint: str = "give it a value before"


OBJECTS: dict[Any, dict[str, str]] = {
    tensor_descriptor: DESCRIPTOR_METHODS,
    block_pointer.block_pointer: block_pointer.METHODS,
}
"""Named tuples that represent one object, with methods that are ops."""


@dataclass(frozen=True)
class Bound:
    """A method: a function of the language bound to a value, as in ``x.sum``."""

    function: Any
    owner: Any


def is_object(value: Any) -> bool:
    """Returns whether a value is a descriptor or a block pointer."""
    return isinstance(value, tuple(OBJECTS))


def is_sequence(value: Any) -> bool:
    """Returns whether a value is a tuple, a named tuple or a list."""
    return isinstance(value, (tuple, list))


def rebuild(template: Any, items: Sequence[Any]) -> Any:
    """Returns a sequence of the same kind with other items."""
    if hasattr(template, "_fields"):
        return type(template)._make(items)
    return type(template)(items)


def is_number(value: Any) -> bool:
    """Returns whether a value is a Python number, which can become a scalar."""
    return isinstance(value, (bool, int, float))


def leaves(value: Any) -> Iterator[tensor]:
    """Yields the tensors of a value, from left to right."""
    if isinstance(value, tensor):
        yield value
    elif is_sequence(value):
        for item in value:
            yield from leaves(item)


def is_runtime(value: Any) -> bool:
    """Returns whether a value contains a tensor. (``any(leaves(...))`` would fail, as tensors have no truth value.)"""
    return next(leaves(value), None) is not None


def replace_leaves(value: Any, tensors: Iterator[tensor]) -> Any:
    """Returns the value with other tensors in place of its own."""
    if isinstance(value, tensor):
        return next(tensors)
    if is_sequence(value):
        return rebuild(value, [replace_leaves(item, tensors) for item in value])
    return value


def materialize(value: Any, constant: Callable[[Any, Type], tensor]) -> Any:
    """Returns the value with its Python numbers converted to tensors."""
    if is_number(value):
        return constant(value, literal_type(value))
    if is_sequence(value):
        return rebuild(value, [materialize(item, constant) for item in value])
    return value


def same(a: Any, b: Any) -> bool:
    """Returns whether two values are the same: tensors by identity, Python objects by equality."""
    if isinstance(a, tensor) or isinstance(b, tensor):
        return a is b
    if is_sequence(a) and is_sequence(b):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if type(a) is not type(b) or (isinstance(a, ScalarNumber) and a.type != b.type):
        return False
    try:
        # Compile-time NaNs count as equal.
        return bool(a is b or a == b or (a != a and b != b))
    except Exception:
        return False


def describe(value: Any) -> str:
    """Returns a value's description for a message: its type, or the Python object."""
    if isinstance(value, tensor):
        return str(value.type)
    if is_object(value):
        return str(value.type)
    if is_sequence(value):
        return f"({', '.join(map(describe, value))})"
    return f"{literal_type(value)}" if is_number(value) else repr(value)


def shape_of(value: Any) -> Any:
    """Returns a value with its tensors replaced by their types, which must agree where two paths meet."""
    if isinstance(value, tensor):
        return value.type
    if is_sequence(value):
        return tuple(shape_of(item) for item in value)
    return ("compile-time", repr(value))


def expect_same_shape(name: str, first: Any, second: Any, where: tuple[str, str], hint: Callable[[], str]) -> None:
    """Raises TypeMismatchError unless two values have the same tensors' types and Python objects."""
    if shape_of(first) != shape_of(second):
        raise TypeMismatchError(
            f"'{name}' has type {describe(first)} {where[0]} and {describe(second)} {where[1]}", hint=hint()
        )
