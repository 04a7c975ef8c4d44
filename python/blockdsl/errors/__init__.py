"""Every exception a user of blockdsl can meet, and how its text is laid out.

Nothing here knows how a kernel is compiled. An error is raised with a sentence (what was expected and what came) and
perhaps a hint; the code that walks the kernel gives it a place with ``Loc``::

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
"""The names of files that are not UTF-8, by what is printed for them."""


def printable(file: str) -> str:
    """Returns the name of a file as text that can be printed and encoded: bytes that are not UTF-8, which Python's
    ``os.fsdecode`` keeps as surrogates, are escaped, as in ``caf\\xe9/kernel.py``."""
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
    """Returns the file's name that ``printable`` has made printable."""
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
    """The root of all errors blockdsl raises on purpose.

    Attributes:
        message: One sentence with the expected and the actual value.
        location: The place in the kernel, when there is one.
        calls: Where the kernel was called from, innermost first.
        hint: What to do about it, or None.
        notes: What else there is to know, such as what failed before.

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
            lines += _place(self.location, self.calls)
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        lines += [f"  note: {note}" for note in self.notes]
        # What is quoted, such as the name of a file, may be no UTF-8.
        return "\n".join(lines).encode("utf-8", "backslashreplace").decode()


TritonError = BlockdslError
"""Triton's name for it."""


class KernelError(BlockdslError):
    """A kernel does not compile, for whatever reason: what Triton calls a ``CompilationError``."""


class KernelSyntaxError(KernelError):
    """The kernel uses a Python construct that is not part of the language."""


class MissingNameError(KernelSyntaxError, AttributeError):
    """The language has no such name."""

    @classmethod
    def of(cls, name: str, known: Iterable[str], module: str, hint: str | None = None) -> MissingNameError:
        """The error for a name that a module does not have, with a hint or else the name that is most like it."""
        close = difflib.get_close_matches(name, known, n=1)
        if hint is None and close:
            hint = f"did you mean '{close[0]}'?"
        return cls(f"module '{module}' has no attribute '{name}'", hint=hint)


class TypeMismatchError(KernelError):
    """Types, shapes or values of operands do not fit the operation."""


def expects(condition: object, message: str, *, hint: str | None = None) -> None:
    """Raises TypeMismatchError with a sentence unless a condition holds."""
    if not condition:
        raise TypeMismatchError(message, hint=hint)


class CompileTimeAssertionError(KernelError):
    """A ``tl.static_assert`` was false while the kernel was compiled."""


class LaunchError(BlockdslError, TypeError, ValueError):
    """The grid or an argument of a launch cannot be right; nothing has run.

    It is a TypeError and a ValueError, because Triton raises these for such arguments.
    """


class OutOfResourcesError(LaunchError):
    """A kernel needs more of its device than there is: shared memory, registers, programs of a grid."""


class LaunchWarning(UserWarning):
    """A launch that is probably not what is meant: its kernel reads other elements than the tensor's, or it is
    interpreted and takes very long."""


class KernelWarning(UserWarning):
    """A line of a kernel that is probably not what is meant. It is given where the kernel is compiled."""


class TuningError(BlockdslError, ValueError):
    """What ``@autotune`` or ``@heuristics`` was told cannot be right."""


class TargetError(BlockdslError):
    """There is no such target, an option is none of its, or what compiles for it is not installed."""


class CompilationError(KernelError):
    """A kernel whose source is right did not compile.

    Where the message names Triton, Triton's pipeline for GPUs or its assembler refused what the kernel became: some
    refusals are Triton's own, such as of a cache hint that no GPU has. Otherwise it is a defect of blockdsl.

    Attributes:
        dump: The file that holds the module, or None.
        command: The command line that shows the failure again, or None.
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

    It is a RuntimeError, which torch raises for such a failure on a GPU, and an AssertionError, which Triton's
    interpreter raises.
    """


class Loc:
    """Gives an error that passes through it a place, unless it has one already.

    Python's own errors become ours here: where its stack ends, the kernel is nested too deep, and whatever else it
    raises while a kernel is walked is a case that was not thought of.

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
            # So near to the end this may fail again; then the next Loc further out succeeds.
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


def _place(location: Location, calls: tuple[Location, ...]) -> list[str]:
    """The lines of a message that say where: position, source line, caret."""
    position = f"  {location}" + (f", in {location.function}" if location.function else "")
    if calls:
        shown = [str(call) for call in calls[:_CALLS_SHOWN]] + ["..."] * (len(calls) > _CALLS_SHOWN)
        position += "  <- called from " + ", from ".join(shown)
    text = linecache.getline(file_name(location.file), location.line).rstrip("\n")
    if not text.strip():
        return [position]
    indent = len(text) - len(text.lstrip())
    # Tabs count as one column in ast; printed as they are, the caret would drift.
    start = max(location.column - 1 - indent, 0)
    end = len(text) if location.end_column is None else location.end_column - 1
    width = max(min(end, len(text)) - indent - start, 1)
    if location.end_column is None:
        width = 1
    return [position, "      " + text.strip().replace("\t", " "), "      " + " " * start + "^" * width]
