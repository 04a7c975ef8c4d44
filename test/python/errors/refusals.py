"""Expected messages of kernels with mistakes.

The message is above the kernel. Lines are counted from its ``def``, so that kernels can move in their file:
``kernel+3:5`` is column 5, three lines below it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from blockdsl.errors import BlockdslError, TypeMismatchError
from blockdsl.frontend import KernelSource, Specialization, build_module
from blockdsl.language import types
from blockdsl.language.descriptor import tensor_descriptor_type
from blockdsl.mlir import ir


@dataclass(frozen=True)
class Case:
    """A kernel, its specialization, and the whole message."""

    kernel: Any
    source: KernelSource
    specialization: Specialization
    expected: str

    def message(self) -> str:
        """Returns the error of compiling the kernel, with lines relative to the kernel."""
        try:
            build_module(self.source, self.specialization, ir.Context())
        except BlockdslError as error:
            return _relative(f"{type(error).__name__}: {error}", self.source)
        return "compiled without a word"


CASES: dict[str, Case] = {}


def refused(expected: str, **arguments: Any) -> Callable[[Any], Any]:
    """Registers a kernel that must not compile. A text that names a type is a type; anything else is a constant."""

    def register(kernel: Any) -> Any:
        given = {name: value for name, value in arguments.items() if _is_type(value)}
        constants = {name: value for name, value in arguments.items() if name not in given}
        CASES[kernel.source.name] = Case(
            kernel, kernel.source, Specialization(given, constants), textwrap.dedent(expected).strip()
        )
        return kernel

    return register


def _is_type(value: Any) -> bool:
    try:
        return isinstance(value, str) and (tensor_descriptor_type.parse(value) or types.parse(value)) is not None
    except TypeMismatchError:
        return False


def _relative(message: str, source: KernelSource) -> str:
    # The tree's first line is that of the `def`, below the decorators.
    first, last = source.line + source.tree.lineno - 1, source.line + source.text.count("\n")

    def line(number: int) -> str:
        return f"kernel+{number - first}" if first <= number < last else "elsewhere"

    message = re.sub(rf"{re.escape(source.file)}:(\d+):(\d+)", lambda m: f"{line(int(m[1]))}:{m[2]}", message)
    return re.sub(r"line (\d+)", lambda m: f"line {line(int(m[1]))}", message)
