"""Introspection of kernels under Triton's names: source, signature and parameters."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import Any

from blockdsl import parsing
from blockdsl.compiler.captured_globals import captured
from blockdsl.errors import file_name
from blockdsl.forks import cached_property
from blockdsl.frontend.source import MISSING, KernelSource
from blockdsl.language.signature import constexpr_type


@dataclass(frozen=True)
class KernelParam:
    """One parameter of a kernel.

    Attributes:
        num: Its index.
        name: Its name.
        default: Its default, or ``inspect.Parameter.empty``.
        is_constexpr: It is annotated as ``tl.constexpr``.
        do_not_specialize: Its value never changes the code.
        do_not_specialize_on_alignment: Its divisibility by 16 does not change the code.
    """

    num: int
    name: str
    default: Any
    is_constexpr: bool
    do_not_specialize: bool = False
    do_not_specialize_on_alignment: bool = False

    @property
    def has_default(self) -> bool:
        return self.default is not MISSING


class KernelInfo:
    """A kernel's source, signature and parameters.

    Attributes:
        version: The argument of ``jit``; it has no effect.
        noinline: The argument of ``jit``; it has no effect.
        debug: Whether ``device_assert`` is checked on GPUs.
        launch_metadata: A function that adds to the metadata passed to launch hooks.
    """

    fn: Any
    source: KernelSource
    version: Any = None
    noinline: Any = None
    debug: Any = None
    launch_metadata: Any = None
    _repr: Any = None
    _do_not_specialize: tuple[Any, ...] = ()
    _do_not_specialize_on_alignment: tuple[Any, ...] = ()

    def __reduce__(self) -> str:
        # Like a function: pickled by its name, and copied as itself.
        return str(self.fn.__qualname__)

    @property
    def src(self) -> str:
        """The text of the function, from its ``def`` on."""
        text = textwrap.dedent(self.source.text)
        found = re.search(r"^def\s", text, re.MULTILINE)
        return text[found.start() :] if found else text

    @property
    def raw_src(self) -> list[str]:
        """The lines of the function in its file, from the first decorator on."""
        return self.source.text.splitlines(keepends=True)

    @property
    def starting_line_number(self) -> int:
        """The line of the first decorator, or of the ``def``, in the file."""
        return self.source.line

    @property
    def module(self) -> str:
        """The module that the function is defined in."""
        return str(self.fn.__module__)

    @property
    def signature(self) -> inspect.Signature:
        """The function's Python signature."""
        return inspect.signature(self.fn)

    @property
    def cache_key(self) -> str:
        """A digest of the kernel's code and of all code that it calls."""
        return self.source.cache_key

    @property
    def hash(self) -> str:
        """The same digest, under Triton's other name."""
        return self.cache_key

    def repr(self, specialization: Any) -> str:
        """Returns the kernel's name for a specialization."""
        return self.source.name if self._repr is None else str(self._repr(specialization))

    @property
    def do_not_specialize(self) -> list[Any]:
        """The parameters whose values never change the code, as passed to ``jit``."""
        return list(self._do_not_specialize)

    @property
    def do_not_specialize_on_alignment(self) -> list[Any]:
        """The parameters whose divisibility by 16 does not change the code, as passed to ``jit``."""
        return list(self._do_not_specialize_on_alignment)

    @property
    def file_name(self) -> str:
        """The file of the kernel."""
        return file_name(self.source.file)

    @property
    def def_file_line_number(self) -> int:
        """The line of its ``def`` in the file."""
        return self.source.line + self.source.tree.lineno - 1

    @property
    def def_file_col_number(self) -> int:
        """The column of the ``def``, counted from 0."""
        return self.source.tree.col_offset

    @property
    def used_global_vals(self) -> dict[tuple[str, int], tuple[Any, dict[str, Any]]]:
        """The globals that the kernel and its callees read: a pair of name and ``id`` of the module's dict is mapped to
        the value and the dict."""
        return {(name, id(names)): (value, names) for names, name, value in captured(self.source)}

    def parse(self) -> ast.Module:
        """The syntax tree of the text."""
        return parsing.parse(self.src)

    @property
    def type(self) -> constexpr_type:
        """The kernel's type as an argument of another kernel: a constant."""
        return constexpr_type(self)

    def is_gluon(self) -> bool:
        """Returns False: the kernel is not written in Gluon."""
        return False

    def get_capture_scope(self) -> dict[str, Any]:
        """Returns the globals and captured variables that are visible in the kernel's text."""
        return {**self.fn.__globals__, **self.source.closure}

    @property
    def __globals__(self) -> dict[str, Any]:
        found: dict[str, Any] = self.fn.__globals__
        return found

    @cached_property
    def params(self) -> list[KernelParam]:
        """The parameters, in order."""
        return [
            KernelParam(
                num, each.name, each.default, each.is_constexpr,
                bool({num, each.name} & set(self._do_not_specialize)),
                bool({num, each.name} & set(self._do_not_specialize_on_alignment)),
            )
            for num, each in enumerate(self.source.parameters)
        ]  # fmt: skip

    @property
    def constexprs(self) -> list[int]:
        """The indices of the parameters that are compile-time constants."""
        return [each.num for each in self.params if each.is_constexpr]
