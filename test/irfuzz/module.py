"""A random module: a list of typed ops, their text, and their results.

``ops.py`` defines text and result of each op together; neither file calls the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .types import Type, bytes_of, from_memory, round_to, to_memory

SPACE = 1 << 40
"""Each buffer begins at a multiple of it, so that no offset of 32 bits reaches another one."""


class InvalidError(Exception):
    """The result is undefined: an access is out of bounds, or a value is undefined."""


@dataclass
class Region:
    """A function, or the body of a loop: arguments, ops, and the names of its results."""

    arguments: list[tuple[str, Type]]
    body: list[Node] = field(default_factory=list)
    results: list[str] = field(default_factory=list)


@dataclass
class Node:
    """An op.

    Attributes:
        kind: Its row in ``ops.OPS``.
        operands: Names.
        results: Names with types.
        types: Of the operands.
        attrs: Its attributes.
        regions: Its bodies.
    """

    kind: str
    operands: list[str]
    types: list[Type]
    results: list[tuple[str, Type]]
    attrs: dict[str, Any] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)


@dataclass
class Buffer:
    """An argument in memory. Each program has a part of one that is written; all may read one that is not.

    If it has an ``update``, all programs share it, and access it only by this op, in any order.
    """

    name: str
    element: str
    data: Any
    written: bool = False
    divisible: bool = False
    at_end: bool = True
    update: str = ""


@dataclass
class Alias:
    """An argument that is a buffer from a given element on."""

    name: str
    of: str
    offset: int


@dataclass
class Number:
    """A scalar argument."""

    name: str
    type: Type
    value: int


@dataclass
class Module:
    """A kernel with its arguments and the functions it calls."""

    seed: int
    programs: int
    buffers: list[Buffer]
    numbers: list[Number]
    kernel: Region
    functions: dict[str, Region] = field(default_factory=dict)
    aliases: list[Alias] = field(default_factory=list)

    def index_of(self, name: str) -> int:
        """Returns the index of a buffer among all."""
        return next(index for index, buffer in enumerate(self.buffers) if buffer.name == name)


class Memory:
    """The bytes of the buffers as one program accesses them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.bytes = [to_memory(buffer.element, buffer.data).reshape(-1).copy() for buffer in module.buffers]
        self.program = 0

    def _locate(self, address: Any, size: int, writes: bool, update: str = "") -> tuple[Any, Any]:
        number, offset = address // SPACE - 1, address % SPACE
        for buffer_number in np.unique(number):
            if not 0 <= buffer_number < len(self.bytes):
                raise InvalidError("no buffer")
            buffer, buffer_offsets = self.module.buffers[buffer_number], offset[number == buffer_number]
            low, high = 0, len(self.bytes[buffer_number])
            if buffer.update != update:
                raise InvalidError("shared by all programs")
            if buffer.written and not update:
                share = high // self.module.programs
                low, high = self.program * share, (self.program + 1) * share
            elif writes and not buffer.written:
                raise InvalidError("not to be written")
            if (buffer_offsets % size).any() or (buffer_offsets < low).any() or (buffer_offsets + size > high).any():
                raise InvalidError("out of bounds")
        return number, offset

    def load(self, element: str, address: Any, mask: Any, other: Any, update: str = "") -> Any:
        """Returns the elements at the addresses, and ``other`` where the mask is false."""
        result = np.array(np.broadcast_to(other, address.shape), Type(element).array)
        active = np.broadcast_to(mask, address.shape)
        size = bytes_of(element)
        number, offset = self._locate(address[active], size, False, update)
        rows = np.zeros((len(number), size), np.uint8)
        for buffer_number in np.unique(number):
            chosen = number == buffer_number
            rows[chosen] = self.bytes[buffer_number][offset[chosen][:, None] + np.arange(size)]
        result[active] = from_memory(element, rows)
        return result

    def store(self, element: str, address: Any, value: Any, mask: Any, update: str = "") -> None:
        """Raises InvalidError if two of the addresses are equal, because the written value is then undefined."""
        active = np.broadcast_to(mask, address.shape)
        size, addresses = bytes_of(element), address[active]
        if len(np.unique(addresses)) != len(addresses):
            raise InvalidError("stored twice")
        number, offset = self._locate(addresses, size, True, update)
        rows = to_memory(element, np.broadcast_to(value, address.shape)[active])
        for buffer_number in np.unique(number):
            chosen = number == buffer_number
            self.bytes[buffer_number][offset[chosen][:, None] + np.arange(size)] = rows[chosen]

    def update(
        self, element: str, address: Any, mask: Any, function: Callable[[int, Any], Any], shared: str = ""
    ) -> Any:
        """Replaces elements one after the other by a function of index and value; returns the old values.

        Where the mask is false, the result is zero.
        """
        old = np.zeros(address.shape, Type(element).array)
        active = np.broadcast_to(mask, address.shape).reshape(-1)
        for lane in np.flatnonzero(active):
            at = address.reshape(-1)[lane : lane + 1]
            [old.reshape(-1)[lane]] = self.load(element, at, np.bool_(True), old.dtype.type(0), shared)
            new = round_to(element, np.asarray(function(int(lane), old.reshape(-1)[lane])))
            self.store(element, at, new, np.bool_(True), shared)
        return old


@dataclass
class Machine:
    """Runs regions, op by op."""

    module: Module
    memory: Memory
    steps: int = 100000
    elementwise: bool = False
    """A function on elements runs on all of them at once: its scalars are blocks."""

    def run(self, region: Region, arguments: Sequence[Any], env: dict[str, Any]) -> list[Any]:
        """Returns the region's results. It reads values in ``env``, and adds its own."""
        from .ops import OPS

        env.update(zip((name for name, _ in region.arguments), arguments, strict=True))
        for node in region.body:
            self.steps -= 1
            if self.steps < 0:
                raise InvalidError("runs for too long")
            values = OPS[node.kind].meaning(self, node, [env[name] for name in node.operands], env)
            for (name, type), value in zip(node.results, values, strict=True):
                value = np.asarray(value)
                assert self.elementwise or value.shape == (type.shape or ()), (node, value.shape)
                assert value.dtype == type.array, (node, value.dtype)
                env[name] = value
        return [env[name] for name in region.results]

    def run_on_elements(self, region: Region, arguments: Sequence[Any], env: dict[str, Any]) -> list[Any]:
        """Returns the region's results for each element of the arguments, which have one shape."""
        outer, self.elementwise = self.elementwise, True
        try:
            results = self.run(region, arguments, dict(env))
        finally:
            self.elementwise = outer
        return [np.broadcast_to(result, np.shape(arguments[0])) for result in results]


def evaluate(module: Module) -> list[Any]:
    """The bytes of each buffer after all programs have run, one after the other.

    Raises:
        InvalidError: The module means nothing.
    """
    memory = Memory(module)
    with np.errstate(all="ignore"):
        for program in range(module.programs):
            memory.program = program
            Machine(module, memory).run(module.kernel, arguments_of(module), {})
    return memory.bytes


def arguments_of(module: Module) -> list[Any]:
    """Returns the arguments of the kernel: addresses, then numbers."""
    addresses = [np.asarray(SPACE * (index + 1), np.int64) for index in range(len(module.buffers))]
    for alias in module.aliases:
        index = module.index_of(alias.of)
        addresses.append(np.asarray(addresses[index] + alias.offset * bytes_of(module.buffers[index].element)))
    return addresses + [np.asarray(number.value).astype(number.type.array) for number in module.numbers]


def text_of(module: Module) -> str:
    """Returns the module's text."""
    functions = [
        _function(f"tt.func private @{name}", region, [""] * len(region.arguments), indent=0)
        for name, region in module.functions.items()
    ]
    hints = [" {tt.divisibility = 16 : i32}" if buffer.divisible else "" for buffer in module.buffers]
    hints += [""] * (len(module.aliases) + len(module.numbers))
    return "\n".join([*functions, _function("tt.func public @kernel", module.kernel, hints, indent=0)])


def _function(head: str, region: Region, hints: Sequence[str], indent: int) -> str:
    types = dict(region.arguments) | {name: type for node in region.body for name, type in node.results}
    parameters = ", ".join(f"{name}: {type}{also}" for (name, type), also in zip(region.arguments, hints, strict=True))
    result_types = [types[name] for name in region.results]
    arrow = f" -> ({', '.join(map(str, result_types))})" if result_types else ""
    end = "  tt.return"
    if result_types:
        end += f" {', '.join(region.results)} : {', '.join(map(str, result_types))}"
    return "\n".join([f"{head}({parameters}){arrow} {{", *lines_of(region.body, 1), end, "}", ""])


def lines_of(body: Sequence[Node], indent: int) -> Iterator[str]:
    """Yields the ops as lines."""
    from .ops import OPS

    for node in body:
        named = ", ".join(name for name, _ in node.results)
        text = OPS[node.kind].text(node)
        first, *remaining = text if isinstance(text, list) else [text]
        yield "  " * indent + (f"{named} = {first}" if named else first)
        for line in remaining:
            yield "  " * indent + line


Meaning = Callable[[Machine, Node, list[Any], dict[str, Any]], Sequence[Any]]


def walk(region: Region) -> Iterator[tuple[Region, int, Node]]:
    """Yields each op with its region and its position, including nested ones."""
    for index, node in enumerate(region.body):
        yield region, index, node
        for inner in node.regions:
            yield from walk(inner)
