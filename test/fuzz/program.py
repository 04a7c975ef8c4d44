"""A random program as a tree: its parts and its text. The generator defines which statements it may contain."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

Kind = tuple[str, tuple[int, ...]]
"""A value's element type, as ``tl`` spells it, and its shape."""

POINTER: Kind = ("pointer", ())
"""The type of pointers to any element type, and of blocks of them."""


@dataclass
class Line:
    """One statement: ``targets = text``, or ``text`` alone. ``{0}`` in the text is the first name it uses."""

    text: str
    uses: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)

    def written(self) -> str:
        text = self.text.format(*self.uses)
        return f"{', '.join(self.targets)} = {text}" if self.targets else text


@dataclass
class Nest:
    """A statement with a body: ``for``, ``while`` or ``if``, with the body of its ``else``."""

    head: str
    uses: list[str]
    body: list[Statement]
    orelse: list[Statement] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)


Statement = Line | Nest


@dataclass
class Function:
    """A function that a kernel calls: fixed text, or parameters, a body and a result."""

    name: str
    parameters: list[str]
    kinds: list[Kind]
    body: list[Statement]

    def written(self) -> list[str]:
        return [f"def {self.name}({', '.join(self.parameters)}):", *_written(self.body, 1)]


@dataclass
class Tensor:
    """An argument in memory.

    Attributes:
        kind: Its element type.
        count: Its elements.
        recipe: The recipe of its data, from values.py.
        seed: Of the data.
        view: The argument that it is a view of, and its first element there.
        stored: Programs store to it.
    """

    name: str
    kind: str
    count: int
    recipe: str
    seed: int
    view: tuple[str, int] | None = None
    stored: bool = False

    @property
    def at_end(self) -> bool:
        """True if it ends at an inaccessible page; otherwise it begins after one."""
        return bool(self.seed & 1)


@dataclass
class Number:
    """An argument that is a number, constant at compile time or not."""

    name: str
    value: int | float | bool
    constexpr: bool = False


@dataclass
class Descriptor:
    """An argument that is a tensor descriptor of the host.

    Attributes:
        base: The argument whose memory it describes, from its first element on.
        block: Extents of the blocks it is accessed by.
    """

    name: str
    base: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block: tuple[int, ...]
    padding: str = "zero"

    def written(self, base: str) -> str:
        """Returns the text that creates it."""
        return (
            f"TensorDescriptor({base}, {list(self.shape)}, {list(self.strides)}, {list(self.block)}, {self.padding!r})"
        )


Argument = Tensor | Number | Descriptor


@dataclass
class Program:
    """A kernel with its arguments and its grid."""

    seed: int
    grid: tuple[int, ...] = (1,)
    arguments: list[Argument] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)

    def copy(self) -> Program:
        return copy.deepcopy(self)

    def source(self, *, library: str = "blockdsl") -> str:
        """The module's text, for blockdsl or for Triton."""
        lines = [f"import {library}", f"import {library}.language as tl"]
        if any("libdevice" in text for text in self.texts()):
            lines.append(f"from {library}.language.extra import libdevice")
        for function in self.functions:
            lines += ["", "", f"@{library}.jit", *function.written()]
        parameters = [
            f"{argument.name}: tl.constexpr" if isinstance(argument, Number) and argument.constexpr else argument.name
            for argument in self.arguments
        ]
        lines += ["", "", f"@{library}.jit", f"def kernel({', '.join(parameters)}):", *_written(self.body, 1)]
        text = "\n".join(lines) + "\n"
        # Triton 3.6 lacks the function; a number that is assigned becomes a scalar in any Triton.
        return text.replace("tl.to_tensor(", "(") if library == "triton" else text

    def texts(self) -> Iterator[str]:
        """Yields the text of every statement."""
        for statement in walk([*(line for function in self.functions for line in function.body), *self.body]):
            yield statement.text if isinstance(statement, Line) else statement.head


def walk(statements: list[Statement]) -> Iterator[Statement]:
    """Yields statements, and those inside of them."""
    for statement in statements:
        yield statement
        if isinstance(statement, Nest):
            yield from walk(statement.body)
            yield from walk(statement.orelse)


def _written(statements: list[Statement], depth: int) -> list[str]:
    margin, lines = "    " * depth, []
    for statement in statements:
        if isinstance(statement, Line):
            lines += [margin + part for part in statement.written().split("\n")]
            continue
        lines += [margin + statement.head.format(*statement.uses), *_written(statement.body, depth + 1)]
        if statement.orelse:
            lines += [f"{margin}else:", *_written(statement.orelse, depth + 1)]
    return lines or [margin + "pass"]
