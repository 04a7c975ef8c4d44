"""A kernel's source: syntax tree, parameters, visible names, and cache key."""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import marshal
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .. import parsing
from ..errors import KernelSyntaxError, Location, printable
from ..forks import cached_property
from ..language.aggregate import captured_of
from ..language.constexpr import ConstexprFunction, constexpr, unwrap
from ..language.op import LibraryFunction, Op
from . import dynamic_source

MISSING = inspect.Parameter.empty

_DEEPLY_NESTED = 1000
"""The length from which a text may be nested too deeply for Python's parser, which allows hundreds of levels."""


def is_plain(value: Any) -> bool:
    """Returns whether a kernel may read a value from a module, as ``math.pi``. (Globals must be ``tl.constexpr``.)"""
    return isinstance(value, (int, float, str)) or type(value).__name__ == "dtype"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name: Its name.
        default: Its default, or ``MISSING``.
        is_constexpr: Whether it is annotated as ``tl.constexpr``.
        annotation: The annotation, or ``MISSING``.
        variadic: Whether it takes all further positional arguments.
    """

    name: str
    default: Any
    is_constexpr: bool
    annotation: Any
    variadic: bool = False


@dataclass(frozen=True, eq=False)
class KernelSource:
    """The source of a kernel or jit function.

    Attributes:
        name: The function's name.
        qualified_name: Its qualified name with the module, for the names of private functions.
        file: Its file, as messages print it.
        line: The line of its ``def`` or first decorator.
        text: Its text, from the first decorator on.
        parameters: Its parameters, in order.
        function: The Python function, which the interpreter runs.
    """

    name: str
    qualified_name: str
    file: str
    line: int
    text: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., Any] = field(repr=False)

    @staticmethod
    def of(function: Callable[..., Any]) -> KernelSource:
        """Reads a function's source.

        Raises:
            KernelSyntaxError: The source is not available, or the function takes ``**kwargs``.
        """
        try:
            lines, line = inspect.getsourcelines(function)
            file = inspect.getsourcefile(function) or function.__code__.co_filename
            text = "".join(lines)
        except (OSError, TypeError):
            found = dynamic_source.find(function)
            if found is None:
                raise KernelSyntaxError(
                    f"the source of '{function.__name__}' cannot be read",
                    hint=dynamic_source.hint(function),
                ) from None
            text, line, file = found
        parameters = tuple(_parameter(function, each) for each in inspect.signature(function).parameters.values())
        qualified = f"{function.__module__}.{function.__qualname__}".replace(".<locals>", "")
        return KernelSource(function.__name__, qualified, printable(file), line, text, parameters, function)

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """The syntax tree. Its line numbers are relative to ``text``."""
        node = self._parse()
        if not isinstance(node, ast.FunctionDef):
            raise KernelSyntaxError(
                f"a kernel must be a 'def', got {type(node).__name__}",
                location=Location(self.file, self.line, 1),
                hint="write @blockdsl.jit above a def",
            )
        return node

    def _parse(self) -> ast.stmt:
        # An indented kernel, defined in a function or a class, becomes the body of an `if`. (Dedenting would fail for
        # multi-line strings that begin at the margin.)
        indented = self.text[:1].isspace()
        try:
            node = parsing.parse("if True:\n" * indented + self.text).body[0]
        except (SyntaxError, RecursionError, MemoryError) as error:
            # Python's parser raises MemoryError for text that is nested too deeply, and for failed allocations.
            if isinstance(error, MemoryError) and len(self.text) < _DEEPLY_NESTED:
                raise
            raise KernelSyntaxError(
                f"the source of '{self.name}' cannot be parsed: {error or type(error).__name__}",
                location=Location(self.file, self.line, 1),
                hint="a kernel is a 'def' of its own, in a file that has not changed since it was imported",
            ) from None
        if isinstance(node, ast.If):
            node = node.body[0]
            ast.increment_lineno(node, -1)
        return node

    @cached_property
    def names(self) -> tuple[ast.Name | ast.Attribute, ...]:
        """All names and attributes of the tree, in the order of ``ast.walk``, which takes three times as long."""
        nodes: list[ast.AST] = [self.tree]
        for node in nodes:
            for field_name in node._fields:
                value = getattr(node, field_name, None)
                if isinstance(value, list):
                    nodes += [each for each in value if isinstance(each, ast.AST)]
                elif isinstance(value, ast.AST) and value._fields:
                    nodes.append(value)
        return tuple(node for node in nodes if isinstance(node, (ast.Name, ast.Attribute)))

    @cached_property
    def _wide_lines(self) -> Mapping[int, bytes]:
        """The lines with non-ASCII characters: Python counts columns in bytes, messages in characters."""
        lines = enumerate(self.text.splitlines(), 1)
        return {} if self.text.isascii() else {at: line.encode() for at, line in lines if not line.isascii()}

    def _column(self, line: int, offset: int) -> int:
        wide = self._wide_lines.get(line)
        return 1 + (offset if wide is None else len(wide[:offset].decode(errors="ignore")))

    @cached_property
    def closure(self) -> Mapping[str, Any]:
        """The variables of enclosing functions that the kernel reads."""
        cells = self.function.__closure__ or ()
        names = self.function.__code__.co_freevars
        return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True) if _is_filled(cell)}

    def location(self, node: ast.AST) -> Location:
        """Returns the location of a node of the tree in the file."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        # A message about a compound statement refers to its head.
        head = getattr(node, "test", None) or getattr(node, "iter", None) or node
        end_line, end = getattr(head, "end_lineno", line), getattr(head, "end_col_offset", None)
        return Location(
            self.file,
            line + self.line - 1,
            self._column(line, column),
            self._column(line, end) if end is not None and end_line == line else None,
            self.name,
        )

    def is_own(self, name: str) -> bool:
        """Returns whether a name is local to the function or to an enclosing one, not a global."""
        code = self.function.__code__
        return name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars

    def lookup(self, name: str) -> Any:
        """Returns the value of a name outside of the function, or ``MISSING``."""
        for names in (self.closure, self.function.__globals__, vars(builtins)):
            if name in names:
                return names[name]
        return MISSING

    @property
    def cache_key(self) -> str:
        """A digest of the source, of all functions it calls, and of the compile-time globals it reads."""
        digest = hashlib.sha256()
        self._digest(digest, {})
        return digest.hexdigest()

    @property
    def reached(self) -> list[KernelSource]:
        """This source and those of all functions it calls, in the same order for equal ``cache_key``."""
        visited: dict[int, KernelSource] = {}
        self._digest(hashlib.sha256(), visited)
        return list(visited.values())

    def _digest(self, digest: Any, visited: dict[int, KernelSource]) -> None:
        visited[id(self.function)] = self
        digest.update(self.text.encode())
        digest.update(repr([(each.name, repr(each.default)) for each in self.parameters]).encode())
        for name, value in self._captured():
            digest.update(name.encode())
            callee = source_of(value)
            if callee is not None:
                if id(callee.function) not in visited:
                    callee._digest(digest, visited)
            elif is_python(value):
                for function in python_functions(value):
                    digest.update(_function_key(function))
            else:
                digest.update(repr(value.value).encode())

    def _captured(self) -> Iterator[tuple[str, Any]]:
        """Yields the functions and compile-time values that the body names, in order."""
        for node in self.names:
            value = self._resolve(node)
            yield from ((f"{ast.unparse(node)}.{name}", each) for name, each in captured_of(value).items())
            if isinstance(value, (constexpr, ConstexprFunction)) or source_of(value) is not None:
                yield ast.unparse(node), value
            elif (stable := _stable_text(value)) is not None and (
                isinstance(node, ast.Name) or not isinstance(value, Op)
            ):
                yield ast.unparse(node), constexpr(stable)

    def _resolve(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name):
            own = self.is_own(node.id) and node.id not in self.closure
            return MISSING if own else self.lookup(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._resolve(node.value)
            return getattr(owner, node.attr, MISSING) if isinstance(owner, (ModuleType, type)) else MISSING
        return MISSING


_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_python(value: Any) -> bool:
    """Returns whether a value is a function that Python runs at compile time."""
    return isinstance(value, ConstexprFunction) or (isinstance(value, constexpr) and inspect.isfunction(value.value))


def python_functions(value: Any) -> list[Callable[..., Any]]:
    """Returns a function that Python runs at compile time and its callees, without functions of installed packages."""
    found = [value.function if isinstance(value, ConstexprFunction) else value.value]
    for function in found:
        for called in reads(function).values():
            called = called.function if isinstance(called, ConstexprFunction) else unwrap(called)
            if inspect.isfunction(called) and called not in found:
                packages = {(each.__module__ or "").partition(".")[0] for each in (function, called)}
                if len(packages) == 1 or not called.__code__.co_filename.startswith(_INSTALLED):
                    found.append(called)
    return found


def reads(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the non-local names that a Python function reads, with their values."""
    names = inspect.getclosurevars(function)
    return {**names.globals, **names.nonlocals}


def _function_key(function: Callable[..., Any]) -> bytes:
    """Returns bytes that identify a Python function: its text, or its code if the text is not available, and the values
    that it reads."""
    names = [f"{name} = {_stable_text(value)}" for name, value in sorted(reads(function).items())]
    try:
        return "".join([inspect.getsource(function), *names]).encode()
    except (OSError, TypeError):
        return marshal.dumps(function.__code__) + "".join(names).encode()


@dataclass(frozen=True)
class Specialization:
    """The properties of arguments that a kernel is compiled for.

    Attributes:
        types: The type of each runtime argument in Triton's notation: ``*fp32``, ``i32``, ``*kbf16``.
        constants: The value of each constant argument: constexprs, None, and integers equal to 1.
        divisibility: A divisor of each address or integer, if known.
        tuples: For each argument that is a tuple, the names of its elements in a tuple of the same structure. The
            mappings above contain these names, such as ``x[0]``, instead of the argument's.
    """

    types: Mapping[str, str]
    constants: Mapping[str, Any] = field(default_factory=dict)
    divisibility: Mapping[str, int] = field(default_factory=dict)
    tuples: Mapping[str, Any] = field(default_factory=dict)


def _parameter(function: Callable[..., Any], parameter: inspect.Parameter) -> Parameter:
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        raise KernelSyntaxError(
            f"'{function.__name__}' takes **{parameter.name}, which a kernel cannot",
            hint="name the parameters, or pass a tuple",
        )
    annotation = parameter.annotation
    marked = annotation is constexpr or isinstance(annotation, constexpr)
    if isinstance(annotation, str):
        marked = annotation.strip("'\" ").rsplit(".", 1)[-1] == "constexpr"
    variadic = parameter.kind is inspect.Parameter.VAR_POSITIONAL
    return Parameter(parameter.name, parameter.default, marked, annotation, variadic)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading an empty cell raises
    except ValueError:
        return False
    return True


def _stable_text(value: Any) -> str | None:
    """Returns a text that identifies a value, other than a function, that a kernel may read; None for other objects."""
    if isinstance(value, Op):
        return value.name
    if isinstance(value, type) and hasattr(value, "_fields"):
        return repr((value._fields, getattr(value, "_field_defaults", None)))
    return repr(value) if is_plain(value) or isinstance(value, tuple) else None


_LIBRARY: dict[int, KernelSource] = {}


def source_of(value: Any) -> KernelSource | None:
    """Returns the source of a jit function or of a library function of the language; None for other objects."""
    if isinstance(value, LibraryFunction):
        if id(value) not in _LIBRARY:
            _LIBRARY[id(value)] = KernelSource.of(value.fn)
        return _LIBRARY[id(value)]
    # A module's __getattr__ may raise for unknown names.
    source = getattr(value, "source", None) if not isinstance(value, (ModuleType, str)) else None
    return source if isinstance(source, KernelSource) else None
