"""Mode in which ops run in NumPy, and sequential execution of a launch's programs."""

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

# Replacements of builtins in kernels.
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
        try:
            result = self.python(function)(*args, **kwargs)
        except BlockdslError as error:
            if isinstance(function, LibraryFunction):
                function.tell(error)
            raise
        source = _source_of(function)
        if result is None and source is not None and _gives_values(source):
            # This path has no return: compiled code returns zeros of the other paths' types.
            from blockdsl.frontend.functions import result_of

            return result_of(source, args, kwargs, _zero)
        return result

    def note(self, text: str) -> None:
        """Prints a text."""
        print(text, end="")

    def python(self, function: Any) -> Any:
        """Returns a jit function as a Python function with the language's ``range`` and constexprs."""
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
            globals_ = _Names({**BUILTINS, **readable}, refused, original.__code__.co_freevars)
            rewritten = python_types.FunctionType(code_of(original, _source_of(function)), globals_, original.__name__)
            rewritten.__defaults__ = tuple(map(unwrap, original.__defaults__ or ())) or None
            rewritten.__kwdefaults__ = {key: unwrap(value) for key, value in (original.__kwdefaults__ or {}).items()}
            self._functions[id(original)] = rewritten
        return self._functions[id(original)]

    def _seen(self, value: Any) -> Any:
        """Returns a global's value in the kernel."""
        if isinstance(value, constexpr):
            return value.value
        if not isinstance(value, LibraryFunction) and _source_of(value) is not None:
            return Callee(self, value)
        if isinstance(value, (tuple, list)) and all(isinstance(each, constexpr) for each in value):
            return unwrapped(value)
        return value

    def _is_readable(self, name: str, value: Any) -> bool:
        """Returns whether a kernel may read a global, by the front end's rule."""
        if isinstance(value, (tuple, list)):
            return all(isinstance(each, constexpr) for each in value)
        known = (constexpr, Type, enum.Enum, python_types.ModuleType)
        return value is None or isinstance(value, known) or callable(value) or name == "__builtins__"


class _Names(dict[str, Any]):
    """The names that a kernel may read. Reading another one raises the compiler's error."""

    def __init__(self, readable: Mapping[str, Any], refused: Mapping[str, Any], enclosed: Collection[str]) -> None:
        super().__init__(readable)
        self._refused = refused
        self._enclosed = enclosed

    def __missing__(self, name: str) -> Any:
        if name in self._refused:
            raise not_constant(name, self._refused[name], is_enclosed=name in self._enclosed)
        raise KeyError(name)


class Callee:
    """A jit function in a kernel, callable in Python."""

    def __init__(self, mode: Interpreter, function: Any) -> None:
        self.mode = mode
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.mode.call(self.function, args, kwargs)


def _source_of(value: Any) -> Any:
    """Returns a ``KernelSource``, or that of a jit function."""
    named = None if isinstance(value, (python_types.ModuleType, type)) else getattr(value, "source", None)
    return next((each for each in (value, named) if hasattr(each, "function") and hasattr(each, "parameters")), None)


@functools.cache
def _gives_values(source: Any) -> bool:
    """Returns whether the function has a return with a value."""
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
    """Runs all programs of a launch in sequence.

    Args:
        source: The kernel's ``KernelSource``.
        bound_arguments: The value of each parameter: tensors, numbers, compile-time values.
        grid: One to three extents.
        make: Makes the mode for ops.

    Returns:
        The mode, with the memory of the programs.

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
                raise _as_blockdsl_error(error, source, given).with_traceback(error.__traceback__) from error
    return mode


_LONG = 60.0
"""Seconds that a launch may take without a warning."""


def _programs(source: Any, grid: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    """Yields the positions of a launch's programs. Warns if all of them will take longer than a minute, estimated from
    the first second."""
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


# Errors of a kernel that Python cannot run. (Others do not come from the kernel, but from a debugger, for example.)
_PYTHONS = (ArithmeticError, AttributeError, LookupError, NameError, RecursionError, TypeError, ValueError)


def _as_blockdsl_error(error: Exception, source: Any, given: tuple[list[Any], dict[str, Any]]) -> BlockdslError:
    """Returns the error of a kernel, at its line: the front end's error if it refuses the same line."""
    location = _location(source, error)
    if isinstance(error, BlockdslError):
        error.location = error.location or location
    if not isinstance(error, BlockdslError) or isinstance(error, KernelError):
        refused = _refused(source, given)
        if refused is not None and location is not None and _is_at(refused, error, location):
            return refused
    if isinstance(error, BlockdslError):
        return error
    return KernelSyntaxError(
        f"Python cannot run the kernel: {type(error).__name__}: {error}",
        location=location,
        hint="compiled, it may be refused in other words: unset BLOCKDSL_INTERPRET to see them",
    )


def _refused(source: Any, given: tuple[list[Any], dict[str, Any]]) -> KernelError | None:
    """Returns the front end's error for a kernel with these arguments, or None."""
    from blockdsl.frontend.functions import result_of

    try:
        result_of(source, *given, _zero, is_kernel=True)
    except KernelError as refused:
        return None if isinstance(refused, CompilationError) else refused
    except Exception:
        return None  # The original error is reported instead.
    return None


def _is_at(refused: BlockdslError, error: Exception, location: Location) -> bool:
    """Returns whether the front end refuses the line at which the kernel failed."""
    found = refused.location
    where = error.location if isinstance(error, BlockdslError) and error.location else location
    return found is not None and (found.file, found.line) == (where.file, where.line)


def _location(source: Any, error: Exception) -> Location | None:
    """Returns the line of the kernel in an error's traceback."""
    trace, location = error.__traceback__, None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in (source.file, source.function.__code__.co_filename):
            column, end = 1, None
            if hasattr(code, "co_positions"):
                positions = list(code.co_positions())[trace.tb_lasti // 2]
                if positions[2] is not None and positions[3] is not None:
                    column, end = positions[2] + 1, positions[3] + 1 if positions[0] == positions[1] else None
            location = Location(source.file, trace.tb_lineno, column, end, code.co_name)
        trace = trace.tb_next
    return location
