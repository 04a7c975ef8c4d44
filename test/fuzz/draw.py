"""Draws a random program, statement by statement, each of which is run on values before it is accepted.

The interpreter runs each statement, in one program of the grid, and statements that the language refuses are dropped.
So no rule of types is written here. The modules that register with ``draws`` have the statements; a seed names a
program.
"""

from __future__ import annotations

import importlib
import linecache
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import BlockdslError
from blockdsl.language.extra import libdevice
from blockdsl.language.op import running
from blockdsl.language.tensor import tensor
from blockdsl.language.types import pointer_type

from . import values
from .bounded import AmbiguousError, error_of
from .bounds import BoundedInterpreter
from .program import POINTER, Descriptor, Function, Kind, Line, Number, Program, Statement, Tensor

MOST_ELEMENTS = 2048


class RejectedError(Exception):
    """The statement cannot be drawn here; another one is drawn in its place."""


@dataclass(frozen=True)
class Draw:
    """A kind of statement.

    Attributes:
        name: For ``--without``.
        ops: The ops of the language that it draws.
        weight: Its relative frequency.
        nested: The same in the bodies of loops and branches, where expensive statements are repeated.
        make: Adds the statements to a program.
    """

    name: str
    ops: frozenset[str]
    weight: float
    nested: float
    make: Callable[[Drawing], Any]


DRAWS: dict[str, Draw] = {}


def draws(
    ops: str, weight: float = 1.0, *, nested: float | None = None
) -> Callable[[Callable[[Drawing], Any]], Callable[[Drawing], Any]]:
    """Registers a function that draws statements with the named ops."""

    def register(make: Callable[[Drawing], Any]) -> Callable[[Drawing], Any]:
        DRAWS[make.__name__] = Draw(
            make.__name__, frozenset(ops.split()), weight, weight if nested is None else nested, make
        )
        return make

    return register


class Literal(str):
    """Text in place of a name."""


INTEGERS = (0, 1, -1, 2, 3, 5, 7, 8, 13, 16, 31, 32, 33, 63, 64, 100, 127, 128, 200, 255, 256, -128, 1000, 32767, 65535,
            2**31 - 1, -(2**31), 2**32 - 1, 0x45D9F3B, -1640531535, 2**40 + 1, 2**63 - 1)  # fmt: skip
FLOATS = ("0.0", "1.0", "-1.0", "0.5", "2.0", "3.0", "-0.0", "0.25", "100.0", 'float("inf")', 'float("-inf")')


class Drawing:
    """A program that grows.

    Attributes:
        choose: The only source of randomness.
        device: ``cpu`` or ``cuda``: operations that are undefined on a GPU are not drawn for it.
    """

    def __init__(self, seed: int, *, device: str = "cpu", without: frozenset[str] = frozenset()) -> None:
        self.choose = random.Random(seed)
        self.device = device
        self.program = Program(seed)
        self.names: list[str] = []
        self.statements: list[Statement] = self.program.body
        self.values: dict[str, Any] = {}
        self.globals: dict[str, Any] = {"tl": tl, "libdevice": libdevice, **interpreter.BUILTINS}
        self.counter = 0
        self.depth = 0
        self.buffers: list[Any] = []
        # In the order of names, because the order of registration depends on that of imports.
        self.draws = [DRAWS[name] for name in sorted(DRAWS) if name not in without]
        self.program.grid = self._grid()
        extents = (*self.program.grid, 1, 1)[:3]
        self.mode = BoundedInterpreter(extents)  # type: ignore[arg-type]
        self.mode.program = tuple(extent - 1 for extent in extents)  # type: ignore[assignment]
        sizes = [2 ** self.choose.choice((0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 8)) for _ in range(2)]
        # A GPU needs extents of 16 for matmuls, and Triton's scans of fewer elements than threads are wrong.
        self.sizes = sizes if device == "cpu" else [max(size, 128) for size in sizes]
        self.pid = ""
        self.in_function = False

    def _grid(self) -> tuple[int, ...]:
        return self.choose.choice(((1,), (1,), (2,), (3,), (5,), (7,), (2, 2), (3, 1, 2)))

    @property
    def programs(self) -> int:
        return int(np.prod(self.program.grid))

    def define(self, function: Function) -> None:
        """Adds a function to the program, unless it has one with that name."""
        if any(function.name == existing.name for existing in self.program.functions):
            return
        self.program.functions.append(function)
        # The interpreter reads a function's source, as the compiler does.
        text = "\n".join(function.written()) + "\n"
        name = f"<function {hash(text)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), self.globals)

    # Queries of values

    def kind(self, name: str) -> Kind:
        """Returns a value's type."""
        value = self.values[name]
        if not isinstance(value, tensor) or value.dtype.is_ptr():
            raise RejectedError
        return repr(value.dtype).rpartition(".")[2], value.shape

    def names_of(self, accept: Callable[[Any], bool], *, any_error: bool = False) -> list[str]:
        """Returns the names whose values are accepted."""
        return [
            name for name in self.names
            if isinstance(self.values[name], tensor) and not self.values[name].dtype.is_ptr()
            and accept(self.values[name]) and (any_error or error_of(self.values[name]) is None)
        ]  # fmt: skip

    def pick(self, accept: Callable[[Any], bool] = lambda value: True, *, any_error: bool = False) -> str:
        """Returns one of them, later ones with a higher probability."""
        names = self.names_of(accept, any_error=any_error)
        if not names:
            raise RejectedError
        return names[max(self.choose.randrange(len(names)), self.choose.randrange(len(names)))]

    def block(self, accept: Callable[[Any], bool] = lambda value: True, *, any_error: bool = False) -> str:
        """Returns the name of a block."""
        return self.pick(lambda value: bool(value.shape) and accept(value), any_error=any_error)

    def like(self, name: str, accept: Callable[[Any], bool] = lambda value: True) -> str:
        """Returns a value that can be combined with another: of its shape, a scalar, or one that broadcasts to it."""
        shape = self.values[name].shape

        def fits(value: Any) -> bool:
            return accept(value) and (value.shape in (shape, ()) or (
                len(value.shape) == len(shape)
                and all(a == b or 1 in (a, b) for a, b in zip(value.shape, shape, strict=True))))  # fmt: skip

        same_shape = self.names_of(lambda value: accept(value) and value.shape == shape)
        if same_shape and self.choose.random() < 0.6:
            return self.choose.choice(same_shape)
        return self.pick(fits)

    def one_of(self, *options: Any, cpu: tuple[Any, ...] = ()) -> Any:
        """Returns one option; those of ``cpu`` are undefined, or missing, on a GPU or in some version of Triton."""
        return self.choose.choice((*options, *cpu) if self.device == "cpu" else options)

    def number(self, name: str) -> Literal:
        """Returns a number that can be combined with a value."""
        kind = self.values[name].dtype
        if kind.is_floating():
            # Triton 3.6 has no negative zero.
            return Literal(self.choose.choice([text for text in FLOATS if self.device == "cpu" or text != "-0.0"]))
        if self.choose.random() < 0.5:
            return Literal(self.choose.choice(INTEGERS[:12]))
        return Literal(self.choose.choice(INTEGERS))

    def operand_for(self, name: str, accept: Callable[[Any], bool] = lambda value: True) -> str:
        """Returns the other operand of a binary op."""
        if self.choose.random() < 0.35:
            return self.number(name)
        return self.like(name, accept)

    # Additions

    def fresh(self, stem: str = "v") -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def text(self, form: str, operands: Sequence[str]) -> tuple[str, list[str]]:
        """Returns a form with its ``{}`` filled in, as a statement's text, and the names that it uses."""
        uses: list[str] = []
        marks = []
        for operand in operands:
            if isinstance(operand, Literal):
                marks.append(str(operand))
                continue
            if operand not in uses:
                uses.append(operand)
            marks.append(f"{{{uses.index(operand)}}}")
        return form.format(*marks), uses

    def evaluate(self, code: str, mode: str = "eval") -> Any:
        """Runs a statement's text on the values."""
        try:
            with running(self.mode), np.errstate(all="ignore"):
                run = eval if mode == "eval" else exec
                return run(compile(code, "<drawn>", mode), self.globals, self.values)
        except (BlockdslError, AmbiguousError, OverflowError, TypeError, AttributeError) as error:
            raise RejectedError(f"{code}: {error}") from None

    def let(self, form: str, *operands: str, targets: int = 1, hidden: bool = False) -> Any:
        """Adds ``name = form``; returns the name, or the names of several targets."""
        text, uses = self.text(form, operands)
        result = self.evaluate(text.format(*uses))
        results = result if targets > 1 else (result,)
        if len(results) != targets:
            raise RejectedError
        for value in results:
            self._check(value)
        names = [self.fresh() for _ in results]
        line = Line(text, uses, names, [])
        for name, value in zip(names, results, strict=True):
            self.values[name] = value
        line.kinds = [self.kind(name) if not self.values[name].dtype.is_ptr() else POINTER for name in names]
        self.statements.append(line)
        if not hidden:
            self.names += names
        return names[0] if targets == 1 else tuple(names)

    def let_hidden(self, form: str, *operands: str) -> str:
        """Adds a name for a value that is no number, and that no other statement draws."""
        text, uses = self.text(form, operands)
        name = self.fresh("d")
        self.values[name] = self.evaluate(text.format(*uses))
        self.statements.append(Line(text, uses, [name], [("descriptor", ())]))
        return name

    def _check(self, value: Any) -> None:
        if not isinstance(value, tensor) or value.numel > MOST_ELEMENTS:
            raise RejectedError
        error = error_of(value)
        if error is not None and not np.isfinite(error).any():
            raise RejectedError

    def do(self, form: str, *operands: str) -> None:
        """Adds a statement without a value."""
        text, uses = self.text(form, operands)
        self.evaluate(text.format(*uses), "exec")
        self.statements.append(Line(text, uses))

    @contextmanager
    def nested(self, statements: list[Statement]) -> Iterator[None]:
        """Adds to the body of a statement; names that are defined there are dropped after it."""
        outer, names = self.statements, list(self.names)
        self.statements = statements
        self.depth += 1
        try:
            yield
        finally:
            self.statements, self.names = outer, names
            self.depth -= 1

    def random_statements(self, count: int, *, tries: int = 12) -> None:
        """Adds statements of any kind."""
        weights = [draw.nested if self.depth else draw.weight for draw in self.draws]
        for _ in range(count):
            for _ in range(tries):
                draw = self.choose.choices(self.draws, weights)[0]
                if self.attempt(draw.make):
                    break

    def attempt(self, make: Callable[[Drawing], Any]) -> bool:
        """Draws once; undoes its changes if it was rejected."""
        length, names, arguments = len(self.statements), list(self.names), len(self.program.arguments)
        functions, values_before = len(self.program.functions), dict(self.values)
        try:
            make(self)
        except RejectedError:
            del self.statements[length:]
            del self.program.arguments[arguments:]
            del self.program.functions[functions:]
            self.names, self.values = names, values_before
            return False
        return True

    # Arguments

    def tensor(self, kind: str, count: int, *, stored: bool = False, recipe: str | None = None, stem: str = "x") -> str:
        """Adds an argument in memory."""
        if self.in_function:
            raise RejectedError
        recipes = [known for known in values.recipes(kind) if self.device == "cpu" or known != "specials"]
        recipe = recipe or self.choose.choice(recipes)
        argument = Tensor(self.fresh(stem), kind, count, recipe, self.choose.randrange(1 << 30), stored=stored)
        self.program.arguments.append(argument)
        data = values.array_of(kind, argument.recipe, argument.seed, count)
        self._point(argument, data, 0)
        return argument.name

    def view(self, name: str, offset: int) -> str:
        """Adds an argument that is a view of another, from an element on."""
        base = next(viewed for viewed in self.program.arguments if viewed.name == name)
        assert isinstance(base, Tensor)
        argument = Tensor(self.fresh("x"), base.kind, base.count - offset, "", 0, (name, offset), True)
        self.program.arguments.append(argument)
        address = int(self.values[name].handle) + offset * values.storage(base.kind).itemsize
        self.values[argument.name] = tensor(np.asarray(address, np.int64), self.values[name].type)
        return argument.name

    def _point(self, argument: Tensor, data: Any, offset: int) -> None:
        self.buffers.append(data)
        segment = interpreter.Segment(argument.name, data.ctypes.data, data.nbytes, True, data)
        self.mode.memory.segments.append(segment)
        element = values.KINDS["uint8" if argument.kind.startswith("float8") else argument.kind]
        pointer = tensor(np.asarray(data.ctypes.data, np.int64), pointer_type(element))
        self.values[argument.name] = pointer

    def descriptor(
        self, base: str, shape: tuple[int, ...], strides: tuple[int, ...], block: tuple[int, ...], padding: str
    ) -> str:
        """Adds an argument that describes the memory of another."""
        argument = Descriptor(self.fresh("d"), base, shape, strides, block, padding)
        self.program.arguments.append(argument)
        form = f"tl.make_tensor_descriptor({base}, {shape}, {strides}, {block}, {padding!r})"
        self.values[argument.name] = self.evaluate(form)
        return argument.name

    def scalar(self, value: float | bool, *, constexpr: bool = False) -> str:
        """Adds an argument that is a number. A 1 is a literal in the kernel."""
        if self.in_function:
            raise RejectedError
        argument = Number(self.fresh("n"), value, constexpr)
        self.program.arguments.append(argument)
        self.values[argument.name] = value if constexpr else interpreter.number(value, None)
        return argument.name


MODULES = ("assembly", "atomics", "descriptors", "elementwise", "flow", "library", "memory", "pointers", "products",
           "reductions", "shapes", "windows")  # fmt: skip


def load() -> None:
    """Imports the modules that register with ``draws``."""
    for name in MODULES:
        importlib.import_module(f"{__package__}.{name}")


def drawn(seed: int, *, device: str = "cpu", without: frozenset[str] = frozenset()) -> Program:
    """Returns the program that a seed names."""
    from . import memory

    load()
    drawing = Drawing(seed, device=device, without=without)
    memory.begin(drawing)
    drawing.random_statements(drawing.choose.randint(4, 18))
    memory.end(drawing)
    return drawing.program
