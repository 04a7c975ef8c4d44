"""Launch schemas: text that maps each argument of a recorded launch to an operand of ``blockdsl::launch``.

An argument is a tuple whose first element is a letter: ``t`` a tensor, ``i`` an integer and ``f`` a float, each with
its index in the operand list of its kind; ``c`` a literal; ``o`` an object that ``names.py`` resolves; ``u`` a tuple of
arguments; ``n`` a named tuple: its fields, then its items; ``d`` a tensor descriptor: tensor, strides, block shape and
padding.
"""

from __future__ import annotations

import ast
import collections
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import torch

from blockdsl.errors import LaunchError
from blockdsl.language.constexpr import constexpr
from blockdsl.tools.tensor_descriptor import TensorDescriptor
from blockdsl.torch_compile import names


class LaunchOperands:
    """The operand lists of the operator, under construction.

    A tensor passed twice is listed once, so that reads through one parameter see stores through the other.
    """

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self.integers: list[Any] = []
        self.floats: list[Any] = []

    def add(self, value: Any, is_constant: bool, name_of: Callable[[Any], str]) -> tuple[Any, ...]:
        """Appends one argument and returns its schema. ``name_of`` names objects that are no numbers."""
        if isinstance(value, constexpr):
            return self.add(value.value, True, name_of)
        if isinstance(value, numpy.ndarray):
            value = torch.from_numpy(value)
        if isinstance(value, torch.Tensor):
            return ("t", self._index(value))
        if value is None or isinstance(value, (bool, str)):
            return ("c", value)
        if isinstance(value, (int, torch.SymInt)):
            if is_constant:
                return ("c", int(value))
            self.integers.append(value)
            return ("i", len(self.integers) - 1)
        if isinstance(value, (float, torch.SymFloat)):
            self.floats.append(value)
            return ("f", len(self.floats) - 1)
        if isinstance(value, (tuple, list)):
            items = ("u", tuple([self.add(item, is_constant, name_of) for item in value]))
            return ("n", (("c", tuple(value._fields)), items)) if hasattr(value, "_fields") else items
        # Dynamo cannot evaluate hasattr for every object that may be a constant.
        if not is_constant and hasattr(value, "block_shape") and hasattr(value, "base"):
            return ("d", self._descriptor(value, name_of))
        return ("o", name_of(value))

    def _descriptor(self, descriptor: Any, name_of: Callable[[Any], str]) -> tuple[Any, ...]:
        """Returns the schemas of a descriptor's parts. Its tensor is the described array, which may exceed its base."""
        base = descriptor.base
        if isinstance(base, numpy.ndarray):
            base = torch.from_numpy(base)
        shape, strides = tuple(descriptor.shape), tuple(descriptor.strides)
        if tuple(base.shape) != shape or tuple(base.stride()) != strides:
            base = base.as_strided(shape, strides)
        return (
            ("t", self._index(base)),
            # The last stride is 1; the launch refuses others.
            ("u", tuple([self.add(stride, at == len(strides) - 1, name_of) for at, stride in enumerate(strides)])),
            ("c", tuple([int(size) for size in descriptor.block_shape])),
            ("c", getattr(descriptor, "padding", "zero")),
        )

    def _index(self, tensor: Any) -> int:
        for index, listed in enumerate(self.tensors):
            if listed is tensor:
                return index
        self.tensors.append(tensor)
        return len(self.tensors) - 1


@dataclass(frozen=True)
class LaunchSchema:
    """A parsed launch schema.

    Attributes:
        positional: Schemas of the positional arguments.
        named: Schemas of the keyword arguments.
        stored: For each tensor whether the kernel stores through it; empty before the analysis.
    """

    positional: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]
    stored: tuple[bool, ...] = ()

    def arguments(
        self, tensors: Sequence[Any], integers: Sequence[Any], floats: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Returns the arguments of a launch."""
        lists = {"t": tensors, "i": integers, "f": floats}
        return [_value(form, lists) for form in self.positional], {
            name: _value(form, lists) for name, form in self.named
        }

    def merged(self, written: Sequence[Any], read: Sequence[Any]) -> list[Any]:
        """Merges both lists of tensors, in the order of their indices."""
        written_tensors, read_tensors = iter(written), iter(read)
        return [next(written_tensors) if is_stored else next(read_tensors) for is_stored in self.stored]

    def text(self) -> str:
        """Prints the schema in the format of ``parse_schema``."""
        return repr((self.positional, self.named, self.stored))


def _value(form: tuple[str, Any], lists: Mapping[str, Sequence[Any]]) -> Any:
    letter, content = form
    if letter == "c":
        return content
    if letter == "o":
        return names.resolve(content)
    if letter == "u":
        return tuple([_value(item, lists) for item in content])
    if letter == "n":
        fields, items = [_value(item, lists) for item in content]
        return _namedtuple(fields)(*items)
    if letter == "d":
        base, strides, block, padding = [_value(item, lists) for item in content]
        return TensorDescriptor(base, list(base.shape), list(strides), list(block), padding)
    return lists[letter][content]


@functools.lru_cache(maxsize=256)
def _namedtuple(fields: tuple[str, ...]) -> Any:
    """Returns a namedtuple class. Kernels use fields only, so it need not be the recorded class."""
    return collections.namedtuple("Named", fields)


def base_tensor(argument: Any) -> Any:
    """Returns the tensor behind an argument, which is a tensor or a descriptor."""
    return argument.base if isinstance(argument, TensorDescriptor) else argument


@functools.lru_cache(maxsize=4096)
def parse_schema(text: str) -> LaunchSchema:
    """Parses a launch schema.

    Raises:
        LaunchError: The text is no launch schema.
    """
    try:
        return LaunchSchema(*ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError) as error:
        raise LaunchError(f"the form of a launch in a graph cannot be read: {text!r}") from error
