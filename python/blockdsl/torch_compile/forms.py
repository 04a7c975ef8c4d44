"""The form of a launch in a graph: text that says where each argument comes from.

An argument is a tuple whose first element is a letter: ``t`` a tensor, ``i`` an integer and ``f`` a float, each with
its place in the operator's lists; ``c`` a value that stands in the form itself; ``o`` an object that ``names.py``
finds; ``u`` a tuple of such; ``n`` one with names, which stand before it; ``d`` a tensor descriptor: the tensor,
strides, block and padding of such.
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


class Parts:
    """The operator's lists while they are made. A tensor that is passed twice is there once, so that what is stored
    through one parameter is read through the other.
    """

    def __init__(self) -> None:
        self.tensors: list[Any] = []
        self.integers: list[Any] = []
        self.floats: list[Any] = []

    def add(self, value: Any, is_constant: bool, name_of: Callable[[Any], str]) -> tuple[Any, ...]:
        """The form of one argument. ``name_of`` names objects that are no numbers."""
        if isinstance(value, constexpr):
            return self.add(value.value, True, name_of)
        if isinstance(value, numpy.ndarray):
            value = torch.from_numpy(value)
        if isinstance(value, torch.Tensor):
            return ("t", self._place(value))
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
        # A constant may be anything, and not of everything does Dynamo know whether it has an attribute.
        if not is_constant and hasattr(value, "block_shape") and hasattr(value, "base"):
            return ("d", self._described(value, name_of))
        return ("o", name_of(value))

    def _described(self, descriptor: Any, name_of: Callable[[Any], str]) -> tuple[Any, ...]:
        """A descriptor's parts. Its tensor is the array that it describes, which may be more than its base."""
        base = descriptor.base
        if isinstance(base, numpy.ndarray):
            base = torch.from_numpy(base)
        shape, strides = tuple(descriptor.shape), tuple(descriptor.strides)
        if tuple(base.shape) != shape or tuple(base.stride()) != strides:
            base = base.as_strided(shape, strides)
        return (
            ("t", self._place(base)),
            # The last one is 1, or else the launch refuses it.
            ("u", tuple([self.add(stride, at == len(strides) - 1, name_of) for at, stride in enumerate(strides)])),
            ("c", tuple([int(size) for size in descriptor.block_shape])),
            ("c", getattr(descriptor, "padding", "zero")),
        )

    def _place(self, tensor: Any) -> int:
        for place, known in enumerate(self.tensors):
            if known is tensor:
                return place
        self.tensors.append(tensor)
        return len(self.tensors) - 1


@dataclass(frozen=True)
class Form:
    """A form that has been read.

    Attributes:
        positional: What the launch was given without a name.
        named: What it was given by name.
        stored: For each tensor whether it is one of those that are stored through; empty where that is not known yet.
    """

    positional: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]
    stored: tuple[bool, ...] = ()

    def arguments(
        self, tensors: Sequence[Any], integers: Sequence[Any], floats: Sequence[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a launch."""
        lists = {"t": tensors, "i": integers, "f": floats}
        return [_value(form, lists) for form in self.positional], {
            name: _value(form, lists) for name, form in self.named
        }

    def merged(self, written: Sequence[Any], read: Sequence[Any]) -> list[Any]:
        """The tensors in the order in which the form counts them."""
        some, others = iter(written), iter(read)
        return [next(some) if is_stored else next(others) for is_stored in self.stored]

    def text(self) -> str:
        """What ``read_form`` reads."""
        return repr((self.positional, self.named, self.stored))


def _value(form: tuple[str, Any], lists: Mapping[str, Sequence[Any]]) -> Any:
    letter, what = form
    if letter == "c":
        return what
    if letter == "o":
        return names.found(what)
    if letter == "u":
        return tuple([_value(item, lists) for item in what])
    if letter == "n":
        fields, items = [_value(item, lists) for item in what]
        return _with_names(fields)(*items)
    if letter == "d":
        base, strides, block, padding = [_value(item, lists) for item in what]
        return TensorDescriptor(base, list(base.shape), list(strides), list(block), padding)
    return lists[letter][what]


@functools.lru_cache(maxsize=256)
def _with_names(fields: tuple[str, ...]) -> Any:
    """A class of tuples. Kernels know them by their fields, so whose class it was does not matter."""
    return collections.namedtuple("Named", fields)


def memory(argument: Any) -> Any:
    """The tensor of an argument that is one, or describes one."""
    return argument.base if isinstance(argument, TensorDescriptor) else argument


@functools.lru_cache(maxsize=4096)
def read_form(text: str) -> Form:
    """Reads what was written down.

    Raises:
        LaunchError: It is no form.
    """
    try:
        return Form(*ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError) as error:
        raise LaunchError(f"the form of a launch in a graph cannot be read: {text!r}") from error
