"""The mode in which ops run as NumPy, and the programs of a launch, one after the other."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import time
import types as python_types
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from blockdsl.errors import BlockdslError, CompilationError, KernelError, KernelSyntaxError, LaunchWarning, Location
from blockdsl.interpreter.arguments import arguments_of
from blockdsl.interpreter.memory import Memory
from blockdsl.language import numerics
from blockdsl.language.constexpr import constexpr, not_constant, unwrap, unwrapped
from blockdsl.language.descriptor import tensor_descriptor_type
from blockdsl.language.evaluation import Evaluation
from blockdsl.language.op import LibraryFunction, running
from blockdsl.language.program import builtin_range
from blockdsl.language.select import builtin_max, builtin_min
from blockdsl.language.tensor import tensor
from blockdsl.language.types import Type
from blockdsl.semantics_rewriter import MEANINGS, code_of

# What a kernel gets for names that it does not define itself.
BUILTINS = {"range": builtin_range, "min": builtin_min, "max": builtin_max, **MEANINGS}


class Interpreter(Evaluation):
    """The mode in which ops compute with NumPy.

    Attributes:
        program: Position of the program that runs.
        grid: Extents of the grid.
        memory: The arguments' memory.
    """

    def __init__(self, grid: tuple[int, int, int]) -> None:
        self.grid = grid
        self.program = (0, 0, 0)
        self.memory = Memory()
        self._functions: dict[int, Any] = {}

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a jit function as Python."""
        if isinstance(function, Callee):
            function = function.function
        args, kwargs = [unwrap(value) for value in args], {name: unwrap(value) for name, value in kwargs.items()}
        result = self.python(function)(*args, **kwargs)
        source = _source_of(function)
        if result is None and source is not None and _gives_values(source):
            # The way that was taken has no return: compiled, it gives zeros of what the others give.
            from blockdsl.frontend.functions import result_of

            return result_of(source, args, kwargs, _zero)
        return result

    def note(self, text: str) -> None:
        """Prints."""
        print(text, end="")

    def python(self, function: Any) -> Any:
        """A jit function's Python function, which sees the kernel's meaning of ``range`` and of constexprs."""
        original = _function_of(function)
        if getattr(original, "__name__", "") == "<lambda>":
            raise KernelSyntaxError(
                "'lambda' is not part of the kernel language", hint="write a function with @blockdsl.jit"
            )
        if inspect.isgeneratorfunction(original):
            raise KernelSyntaxError("'yield' is not part of the kernel language", hint="store results with tl.store")
        if id(original) not in self._functions:
            cells = zip(original.__code__.co_freevars, original.__closure__ or (), strict=True)
            names = {**original.__globals__, **{name: cell.cell_contents for name, cell in cells}}
            refused = {name: value for name, value in names.items() if not self._is_readable(name, value)}
            readable = {name: self._seen(value) for name, value in names.items() if name not in refused}
            seen = _Names({**BUILTINS, **readable}, refused, original.__code__.co_freevars)
            made = python_types.FunctionType(code_of(original, _source_of(function)), seen, original.__name__)
            made.__defaults__ = tuple(map(unwrap, original.__defaults__ or ())) or None
            made.__kwdefaults__ = {key: unwrap(value) for key, value in (original.__kwdefaults__ or {}).items()}
            self._functions[id(original)] = made
        return self._functions[id(original)]

    def _seen(self, value: Any) -> Any:
        """A global as the kernel sees it."""
        if isinstance(value, constexpr):
            return value.value
        if not isinstance(value, LibraryFunction) and _source_of(value) is not None:
            return Callee(self, value)
        if isinstance(value, (tuple, list)) and all(isinstance(each, constexpr) for each in value):
            return unwrapped(value)
        return value

    def _is_readable(self, name: str, value: Any) -> bool:
        """May a kernel read a global? The rule is the front end's."""
        if isinstance(value, (tuple, list)):
            return all(isinstance(each, constexpr) for each in value)
        known = (constexpr, Type, enum.Enum, python_types.ModuleType)
        return value is None or isinstance(value, known) or callable(value) or name == "__builtins__"


class _Names(dict[str, Any]):
    """The names a kernel sees. The others are refused when it reads them, as when it is compiled."""

    def __init__(self, readable: Mapping[str, Any], refused: Mapping[str, Any], enclosed: Collection[str]) -> None:
        super().__init__(readable)
        self._refused = refused
        self._enclosed = enclosed

    def __missing__(self, name: str) -> Any:
        if name in self._refused:
            raise not_constant(name, self._refused[name], is_enclosed=name in self._enclosed)
        raise KeyError(name)


class Callee:
    """A jit function that a kernel names, callable as Python."""

    def __init__(self, mode: Interpreter, function: Any) -> None:
        self.mode = mode
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.mode.call(self.function, args, kwargs)


def _source_of(value: Any) -> Any:
    """The ``KernelSource`` that a value is, or that a jit function has."""
    named = None if isinstance(value, (python_types.ModuleType, type)) else getattr(value, "source", None)
    return next((each for each in (value, named) if hasattr(each, "function") and hasattr(each, "parameters")), None)


@functools.cache
def _gives_values(source: Any) -> bool:
    """Has the function a return with a value?"""
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(source.tree))


def _zero(kind: Type) -> tensor:
    if isinstance(kind, tensor_descriptor_type):
        return tensor((np.asarray(0, np.int64), kind.padding), kind)
    return tensor(np.zeros(kind.shape, numerics.carrier(kind.scalar)), kind)


def _function_of(function: Any) -> Any:
    if isinstance(function, LibraryFunction):
        return function.fn
    source = _source_of(function)
    return function if source is None else source.function


def run(
    source: Any,
    bound_arguments: Mapping[str, Any],
    grid: Sequence[int],
    make: Callable[[tuple[int, int, int]], Interpreter] = Interpreter,
) -> Interpreter:
    """Runs every program of a launch, one after the other.

    Args:
        source: The kernel's ``KernelSource``.
        bound_arguments: The value of each parameter: tensors, numbers, compile-time values.
        grid: One to three extents.
        make: Makes the mode that ops run in.

    Returns:
        The mode, whose memory the programs have used.

    Raises:
        LaunchError: A tensor is on a GPU, or is read-only and stored to.
        KernelSyntaxError: Python cannot run the kernel.
        KernelAssertionError: A ``device_assert`` failed, or an access was outside of the arguments' memory.

    Example:
        interpreter.run(add.source, {"x": x, "y": y, "n": n, "BLOCK": 128}, (8,))
    """
    columns, rows, layers = (*grid, *[1] * (3 - len(grid)))
    mode = make((columns, rows, layers))
    arguments = arguments_of(mode.memory, source, bound_arguments)
    positional = [value for each in source.parameters if each.variadic for value in arguments.pop(each.name)]
    function = mode.python(source)
    code = function.__code__
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    named = {name: arguments.pop(name) for name in by_name}
    with running(mode), np.errstate(all="ignore"):
        for program in _programs(source, (columns, rows, layers)):
            mode.program = program
            try:
                function(*arguments.values(), *positional, **named)
            except (BlockdslError, *_PYTHONS) as error:
                given = ([*arguments.values(), *positional], named)
                raise _worded(error, source, given).with_traceback(error.__traceback__) from error
    return mode


_LONG = 60.0
"""Seconds that a launch may take without a warning."""


def _programs(source: Any, grid: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    """The positions of a launch's programs. Warns where all of them, at the pace of those of the first second, take
    longer than a minute."""
    columns, rows, layers = grid
    count, started, has_warned = 0, time.monotonic(), False
    for z in range(layers):
        for y in range(rows):
            for x in range(columns):
                passed = 0.0 if has_warned else time.monotonic() - started
                if passed > 1.0:
                    has_warned = True
                    _warn_of_time(source, columns * rows * layers, count, passed)
                yield x, y, z
                count += 1


def _warn_of_time(source: Any, total: int, count: int, passed: float) -> None:
    seconds = passed / count * total
    if seconds > _LONG:
        units = {"days": 86400, "hours": 3600, "minutes": 60}
        unit = next((name for name, size in units.items() if seconds >= 2 * size), "minutes")
        warnings.warn_explicit(
            f"the interpreter runs the {total} programs of kernel '{source.name}' one after the other, which takes "
            f"about {seconds / units[unit]:.0f} {unit}: launch a smaller grid, or unset BLOCKDSL_INTERPRET",
            LaunchWarning,
            source.file,
            source.line,
        )


# What Python raises of a kernel that it cannot run. (Others are not the kernel's: a debugger's, for one.)
_PYTHONS = (ArithmeticError, AttributeError, LookupError, NameError, RecursionError, TypeError, ValueError)


def _worded(error: Exception, source: Any, given: tuple[list[Any], dict[str, Any]]) -> BlockdslError:
    """The error of a kernel, at its line: in the words of the front end, where it refuses that line, too."""
    place = _place(source, error)
    if isinstance(error, BlockdslError):
        error.location = error.location or place
    if not isinstance(error, BlockdslError) or isinstance(error, KernelError):
        refused = _refused(source, given)
        if refused is not None and place is not None and _is_at(refused, error, place):
            return refused
    if isinstance(error, BlockdslError):
        return error
    return KernelSyntaxError(
        f"Python cannot run the kernel: {type(error).__name__}: {error}",
        location=place,
        hint="compiled, it may be refused in other words: unset BLOCKDSL_INTERPRET to see them",
    )


def _refused(source: Any, given: tuple[list[Any], dict[str, Any]]) -> KernelError | None:
    """What the front end says of a kernel that is called with these arguments."""
    from blockdsl.frontend.functions import result_of

    try:
        result_of(source, *given, _zero, is_kernel=True)
    except KernelError as refused:
        return None if isinstance(refused, CompilationError) else refused
    except Exception:
        return None  # whatever this is, it is not the error that is to be told
    return None


def _is_at(refused: BlockdslError, error: Exception, place: Location) -> bool:
    """Whether the front end refuses the line that the kernel failed at."""
    found = refused.location
    where = error.location if isinstance(error, BlockdslError) and error.location else place
    return found is not None and (found.file, found.line) == (where.file, where.line)


def _place(source: Any, error: Exception) -> Location | None:
    """The line of the kernel that an error came through."""
    trace, place = error.__traceback__, None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in (source.file, source.function.__code__.co_filename):
            column, end = 1, None
            if hasattr(code, "co_positions"):
                positions = list(code.co_positions())[trace.tb_lasti // 2]
                if positions[2] is not None and positions[3] is not None:
                    column, end = positions[2] + 1, positions[3] + 1 if positions[0] == positions[1] else None
            place = Location(source.file, trace.tb_lineno, column, end, code.co_name)
        trace = trace.tb_next
    return place
