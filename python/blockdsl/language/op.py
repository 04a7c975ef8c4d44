"""Declaration of an op of the language: one signature and three facets.

* the operand rule (optional): promotes and broadcasts operands, both for the compiler and the interpreter;
* ``emit``: creates IR, through an emitter that is passed as an argument;
* ``reference``: the semantics of the op in NumPy. The interpreter runs it, and every backend is tested against it.

The active mode, the compiler's or the interpreter's, decides which facet runs.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from ..errors import BlockdslError, KernelSyntaxError, TypeMismatchError
from ..tracebacks import border
from .types import Type

F = TypeVar("F", bound=Callable[..., Any])


class Mode(Protocol):
    """The interface of compiler and interpreter for operand rules."""

    def run(self, op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Applies an op."""

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a jit function."""

    def constant(self, value: int | float | bool, type: Type) -> Any:
        """Returns a tensor whose elements all equal a Python number."""


class Emitter(Mode, Protocol):
    """The interface of the compiler for emit rules."""

    def create(
        self,
        name: str,
        *operands: Any,
        attributes: Mapping[str, str] | None = None,
        result: Type | Sequence[Type] | None = None,
        regions: Sequence[Any] = (),
    ) -> Any:
        """Creates one op and returns its result, a tuple of results, or None.

        ``attributes`` are IR text. Without ``result`` the IR infers the type; elements get the type of the first
        operand with the same IR type.
        """

    def region(self, arguments: Sequence[Type], body: Callable[..., None]) -> Any:
        """Returns a region of one block, whose arguments are passed to ``body``."""

    def note(self, text: str) -> None:
        """Prints a line while the kernel is compiled."""

    def hint(self, value: Any, name: str, attribute: str) -> None:
        """Sets a discardable attribute on the op, or the kernel's argument, that defines a value."""


class Evaluator(Mode, Protocol):
    """The interface of the interpreter for reference rules that take it."""

    program: tuple[int, int, int]
    grid: tuple[int, int, int]
    memory: Any


_mode: ContextVar[Mode | None] = ContextVar("blockdsl_mode", default=None)


def current_mode() -> Mode | None:
    """Returns the active mode, or None outside of kernels."""
    return _mode.get()


def _no_mode() -> None:
    """Replaces ``current_mode`` for torch's Dynamo, which traces host code only and does not support context
    variables."""


current_mode._torchdynamo_inline = _no_mode  # type: ignore[attr-defined]


@contextlib.contextmanager
def running(mode: Mode) -> Iterator[None]:
    """Context in which a mode is active."""
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)


def expect_use(function: Any) -> None:
    """Raises KernelSyntaxError for a function whose result must not be unused, as in an expression statement."""
    hint = getattr(function, "_must_use_result", False)
    if hint:
        name = getattr(function, "__name__", repr(function))
        raise KernelSyntaxError(
            f"the result of '{name}' is not used", hint=hint if isinstance(hint, str) else "give it a name"
        )


def _outside_of_kernels(name: str) -> KernelSyntaxError:
    return KernelSyntaxError(
        f"'{name}' can be called only inside a kernel",
        hint="launch a function decorated with @blockdsl.jit: kernel[grid](...)",
    )


def without_annotations(signature: inspect.Signature) -> str:
    """Returns a signature's parameters with their defaults, for messages."""
    parameters = signature.parameters.values()
    return str(inspect.Signature([each.replace(annotation=inspect.Parameter.empty) for each in parameters]))


class Op:
    """An operation of the language. ``@op`` creates it, and its decorators add the facets."""

    _is_compile_time = True
    _must_use_result: bool | str = False

    def __init__(self, function: Callable[..., Any], operands: Callable[..., tuple[Any, ...]] | None) -> None:
        functools.update_wrapper(self, function)
        self.name = function.__name__
        self.signature = inspect.signature(function)
        self.parameters = tuple(self.signature.parameters)
        every = self.signature.parameters.values()
        self._defaults = [parameter.default for parameter in every]
        # Most calls pass all parameters by position, for which the signature is not needed.
        self._required = sum(default is inspect.Parameter.empty for default in self._defaults)
        if any(parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD for parameter in every):
            self._required = len(self.parameters) + 1
        self.operands = operands
        self.emit_rule: Callable[..., Any] | None = None
        self.reference_rule: Callable[..., Any] | None = None
        # A reference that takes the evaluator works on typed tensors; others work on NumPy arrays.
        self.reference_is_typed = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        mode = current_mode()
        if mode is None:
            raise _outside_of_kernels(self.name)
        return mode.run(self, args, kwargs)

    def __repr__(self) -> str:
        return f"<op {self.name}{self.signature}>"

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Returns the arguments in the order of the parameters, with defaults.

        Raises TypeMismatchError if they do not fit the signature.
        """
        if not kwargs and self._required <= len(args) <= len(self.parameters):
            return [*args, *self._defaults[len(args) :]]
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeMismatchError(
                f"'{self.name}' {error}", hint=f"its signature is {self.name}{self.public}"
            ) from None
        bound.apply_defaults()
        return list(bound.arguments.values())

    @property
    def public(self) -> str:
        """The parameters with their defaults and without annotations, for messages."""
        return without_annotations(self.signature)

    def emit(self, rule: F) -> F:
        """Adds the rule that creates IR. It takes the emitter, then the op's parameters."""
        self._check(rule, ("e", *self.parameters), "emit rule")
        self.emit_rule = rule
        return rule

    def reference(self, rule: F) -> F:
        """Adds the NumPy reference. It takes the op's parameters, optionally after the evaluator ``e``."""
        names = tuple(inspect.signature(rule).parameters)
        self.reference_is_typed = names[:1] == ("e",)
        self._check(rule, ("e", *self.parameters) if self.reference_is_typed else self.parameters, "reference")
        self.reference_rule = rule
        return rule

    def _check(self, rule: Callable[..., Any], expected: tuple[str, ...], facet: str) -> None:
        names = tuple(inspect.signature(rule).parameters)
        assert names == expected, f"the {facet} of '{self.name}' has parameters {names}, not {expected}"


OPS: dict[str, Op] = {}
METHODS: dict[str, Any] = {}


class Member:
    """A method of values. As an attribute of the class it is the function, of a value the function bound to it.

    It is looked up by name on access, so that functions may be declared after the class.
    """

    def __init__(self, functions: Mapping[str, Any], name: str) -> None:
        self._functions = functions
        self._name = name

    def __get__(self, value: Any, kind: type | None = None) -> Any:
        function = self._functions[self._name]
        return function if value is None else functools.partial(function, value)


class Methods:
    """The base class of values with methods: every function declared as a method is an attribute of it."""

    __slots__ = ()


def as_method(name: str, function: Any) -> None:
    """Makes a function of the language also a method of blocks: ``x.sum(1)``."""
    METHODS[name] = function
    setattr(Methods, name, Member(METHODS, name))


def op(
    *, operands: Callable[..., tuple[Any, ...]] | None = None, method: bool = False, name: str | None = None
) -> Callable[[Callable[..., Any]], Op]:
    """Declares an op.

    Args:
        operands: Called as ``operands(mode, *arguments)`` before either facet; returns the facet's arguments.
        method: Also callable as a method of a block: ``x.sum(1)``.
        name: The public name, if it is a Python keyword or builtin.

    Example:
        @op(operands=arithmetic)
        def add(x, y): ...
    """

    def declare(function: Callable[..., Any]) -> Op:
        if name is not None:
            function.__name__ = name
        declared = Op(function, operands)
        OPS[declared.name] = declared
        if method:
            as_method(declared.name, declared)
        return declared

    return declare


class LibraryFunction:
    """A function of the language that is implemented in the language; the front end compiles it like a user's."""

    _is_compile_time = True

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.fn = function
        self.name = function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        mode = current_mode()
        return self._on_host(*args, **kwargs) if mode is None else mode.call(self, args, kwargs)

    @border
    def _on_host(self, *args: Any, **kwargs: Any) -> Any:
        """Computes with Python's numbers: ``blockdsl.cdiv(n, 128)`` makes a grid."""
        try:
            return self.fn(*args, **kwargs)
        except AttributeError:
            # A host's tensor lacks attributes of a block.
            raise _outside_of_kernels(self.name) from None

    def tell(self, error: BlockdslError) -> None:
        """Names this function in an error about an op that it uses: the author has written this one."""
        match = re.match(r"'(\w+)' ", error.message)
        if match and LIBRARY.get(self.name) is self and (match[1] in OPS or match[1] in LIBRARY):
            error.message = f"'{self.name}' {error.message[match.end() :]}"
            error.args = (error.message,)

    def __repr__(self) -> str:
        return f"<library function {self.name}>"


LIBRARY: dict[str, LibraryFunction] = {}


def library(*, method: bool = False) -> Callable[[Callable[..., Any]], LibraryFunction]:
    """Declares a function written in the language itself, such as ``softmax``."""

    def declare(function: Callable[..., Any]) -> LibraryFunction:
        declared = LibraryFunction(function)
        LIBRARY[declared.name] = declared
        if method:
            as_method(declared.name, declared)
        return declared

    return declare
