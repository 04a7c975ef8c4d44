"""Conversion of MLIR's diagnostics to exceptions of blockdsl.errors. The extension calls it on failures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import BlockdslError, CompilationError, KernelSyntaxError, Location, TypeMismatchError

# severity, message, file, line, column, end column, function, callers ("file:line:col", innermost first)
Diagnostic = tuple[str, str, str, int, int, int, str, Sequence[str]]

# The class depends on the remedy: correct the text, correct the types, or report a defect of blockdsl.
_CLASSES: dict[str, type[BlockdslError]] = {
    "parse": KernelSyntaxError,
    "verify": TypeMismatchError,
    "run": CompilationError,
}
_OP = re.compile(r"'(?:tt|cpu|arith|math|scf|cf)\.(\w+)' op ")


def _place(file: str, line: int, column: int, end: int, function: str) -> Location | None:
    if not file or not line:
        return None
    return Location(file, line, column, end if end > column else None, function or None)


def _caller(text: str) -> Location:
    file, line, column = text.rsplit(":", 2)
    return Location(file, int(line), int(column))


def error_of(stage: str, diagnostics: Sequence[Diagnostic]) -> BlockdslError:
    """Returns the exception for the diagnostics of parsing, verifying or transforming a module."""
    errors = [each for each in diagnostics if each[0] == "error"]
    if not errors:
        return _CLASSES[stage](f"the compiler failed to {stage} the module and gave no reason")
    _, message, file, line, column, end, function, callers = errors[0]
    # One line of the kernel may become several ops with the same diagnostic.
    messages = dict.fromkeys(each[1] for each in diagnostics if each[0] in ("error", "note") and each[1] != message)
    details = [text for text in messages if "see current operation" not in text]
    return _CLASSES[stage](
        # Kernels contain `dot`, not `'tt.dot' op`.
        _OP.sub(r"'\1' ", message),
        location=_place(file, line, column, end, function),
        calls=tuple(map(_caller, callers)),
        hint="; ".join(_OP.sub(r"'\1' ", text) for text in details[:2]) or None,
    )
