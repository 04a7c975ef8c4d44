"""All exceptions of blockdsl for users, and the layout of their text.

The package is independent of the compiler. An error is raised with a sentence (the expected and the actual value) and
possibly a hint; the code that visits the kernel adds a location with ``Loc``::

    TypeMismatchError: 'dot' expects lhs columns (8) to equal rhs rows (9)
      attention.py:41:12, in scores          <- called from attention.py:88:9
          s = tl.dot(q, k)
              ^^^^^^^^^^^^
      hint: transpose one operand with tl.trans
"""

from __future__ import annotations

import difflib
import linecache
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType

_NAMES: dict[str, str] = {}
"""File names that are not valid UTF-8, by their printed form."""


def printable(file: str) -> str:
    """Returns the name of a file as text that can be encoded in UTF-8: invalid bytes, which ``os.fsdecode`` represents
    as surrogates, are escaped, as in ``caf\\xe9/kernel.py``."""
    try:
        file.encode()
    except UnicodeEncodeError:
        try:
            name = os.fsencode(file).decode("utf-8", "backslashreplace")
        except UnicodeEncodeError:
            name = file.encode("utf-8", "backslashreplace").decode()
        _NAMES[name] = file
        return name
    return file


def file_name(printed: str) -> str:
    """Returns the file name for a result of ``printable``."""
    return _NAMES.get(printed, printed)


@dataclass(frozen=True)
class Location:
    """A range of characters in a kernel's file. Lines and columns count from 1; the file's name is ``printable``."""

    file: str
    line: int
    column: int
    end_column: int | None = None
    function: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", printable(self.file))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class BlockdslError(Exception):
    """The base class of all errors that blockdsl raises.

    Attributes:
        message: One sentence with the expected and the actual value.
        location: The location in the kernel or the program, or None.
        calls: The locations of the kernel's callers, innermost first.
        hint: A remedy, or None.
        notes: Further information, such as earlier failures.

    Example:
        try:
            kernel[(1,)](x)
        except blockdsl.errors.BlockdslError as error:
            print(error.location.line, error.hint)
    """

    def __init__(
        self,
        message: str,
        *,
        location: Location | None = None,
        calls: tuple[Location, ...] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.calls = calls
        self.hint = hint
        self.notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [self.message]
        if self.location is not None:
            lines += _location_lines(self.location, self.calls)
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        lines += [f"  note: {note}" for note in self.notes]
        # Quoted text, such as the name of a file, may not be valid UTF-8.
        return "\n".join(lines).encode("utf-8", "backslashreplace").decode()


TritonError = BlockdslError
"""Triton's name of BlockdslError."""


class KernelError(BlockdslError):
    """The base class of errors of kernels that do not compile, which is Triton's ``CompilationError``."""


class KernelSyntaxError(KernelError):
    """The kernel uses a Python construct that is not part of the language."""


class MissingNameError(KernelSyntaxError, AttributeError):
    """The language has no such name."""

    @classmethod
    def of(cls, name: str, known: Iterable[str], module: str, hint: str | None = None) -> MissingNameError:
        """Returns the error for a name that a module does not have, with a hint or else the most similar name."""
        close = difflib.get_close_matches(name, known, n=1)
        if hint is None and close:
            hint = f"did you mean '{close[0]}'?"
        return cls(f"module '{module}' has no attribute '{name}'", hint=hint)


class TypeMismatchError(KernelError):
    """Types, shapes or values of operands do not fit the operation."""


def expects(condition: object, message: str, *, hint: str | None = None) -> None:
    """Raises TypeMismatchError with a message unless a condition holds."""
    if not condition:
        raise TypeMismatchError(message, hint=hint)


class CompileTimeAssertionError(KernelError):
    """A ``tl.static_assert`` was false while the kernel was compiled."""


class LaunchError(BlockdslError, TypeError, ValueError):
    """The grid or an argument of a launch is invalid; no program has run.

    It is a TypeError and a ValueError, because Triton raises these for invalid arguments.
    """


class OutOfResourcesError(LaunchError):
    """A kernel exceeds a limit of its device: shared memory, registers, programs of a grid."""


class LaunchWarning(UserWarning):
    """A launch with a probable mistake: its kernel reads elements outside of the tensor, or is interpreted and takes
    very long."""


class KernelWarning(UserWarning):
    """A line of a kernel with a probable mistake. It is issued when the kernel is compiled."""


class TuningError(BlockdslError, ValueError):
    """An argument of ``@autotune`` or ``@heuristics`` is invalid."""


class TargetError(BlockdslError):
    """A target or one of its options does not exist, or the compiler for it is not installed."""


class CompilationError(KernelError):
    """A kernel whose source is valid did not compile.

    If the message names Triton, Triton's pipeline for GPUs or its assembler rejected the kernel, for example because of
    a cache hint that no GPU has. Otherwise it is a defect of blockdsl.

    Attributes:
        dump: The file that holds the module, or None.
        command: The command line that reproduces the failure, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        location: Location | None = None,
        calls: tuple[Location, ...] = (),
        hint: str | None = None,
        dump: str | None = None,
        command: str | None = None,
    ) -> None:
        super().__init__(message, location=location, calls=calls, hint=hint)
        self.dump = dump
        self.command = command

    def __str__(self) -> str:
        lines = [super().__str__()]
        if self.dump is not None:
            lines.append(f"  module: {self.dump}")
        if self.command is not None:
            lines.append(f"  again:  {self.command}")
        return "\n".join(lines)


class KernelAssertionError(BlockdslError, RuntimeError, AssertionError):
    """A ``tl.device_assert`` was false while the kernel ran.

    It is a RuntimeError, which torch raises for a failed assertion on a GPU, and an AssertionError, which Triton's
    interpreter raises.
    """


class Loc:
    """Context that adds a location to an error, unless it has one already.

    Python's errors are converted here: a RecursionError means that the kernel is nested too deeply, and any other error
    while a kernel is compiled is a defect of blockdsl.

    Example:
        with Loc(Location("k.py", 3, 5)):
            raise TypeMismatchError("'dot' expects blocks, got a scalar")
    """

    def __init__(self, location: Location, *, call: bool = False) -> None:
        self.location = location
        self.call = call

    def __enter__(self) -> Loc:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, RecursionError):
            # This close to the recursion limit it may fail again; then an enclosing Loc succeeds.
            raise KernelSyntaxError(
                f"the kernel is nested deeper than Python's stack, of {sys.getrecursionlimit()} calls, goes",
                location=self.location,
                hint="give inner expressions names of their own; sys.setrecursionlimit allows more",
            ) from None
        if isinstance(error, Exception) and not isinstance(error, (BlockdslError, MemoryError, Warning)):
            raise CompilationError(
                f"blockdsl fails at this line: {type(error).__name__}: {error}",
                location=self.location,
                hint="this is a defect of blockdsl: please report it with the kernel",
            ) from error
        if not isinstance(error, BlockdslError):
            return
        if error.location is None:
            error.location = self.location
        elif self.call:
            error.calls += (self.location,)


_CALLS_SHOWN = 4


def _location_lines(location: Location, calls: tuple[Location, ...]) -> list[str]:
    """Returns the lines of a message about the location: position, source line, caret."""
    position = f"  {location}" + (f", in {location.function}" if location.function else "")
    if calls:
        callers = [str(call) for call in calls[:_CALLS_SHOWN]] + ["..."] * (len(calls) > _CALLS_SHOWN)
        position += "  <- called from " + ", from ".join(callers)
    text = linecache.getline(file_name(location.file), location.line).rstrip("\n")
    if not text.strip():
        return [position]
    indent = len(text) - len(text.lstrip())
    # Tabs count as one column in ast; printed tabs would misplace the caret.
    start = max(location.column - 1 - indent, 0)
    end = len(text) if location.end_column is None else location.end_column - 1
    width = max(min(end, len(text)) - indent - start, 1)
    if location.end_column is None:
        width = 1
    return [position, "      " + text.strip().replace("\t", " "), "      " + " " * start + "^" * width]
