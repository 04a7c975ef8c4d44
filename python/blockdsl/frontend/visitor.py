"""Visitor of one function: tables of handlers for statements and expressions, and their shared state.

statements.py, control_flow.py, loops.py, expressions.py and calls.py register the handlers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..errors import KernelSyntaxError, Loc, TypeMismatchError
from ..language.op import Op
from .emitter import Emitter
from .hints import argument_hint
from .source import KernelSource

if TYPE_CHECKING:
    from .functions import Functions

Handler = Callable[..., Any]

STATEMENTS: dict[type[ast.AST], Handler] = {}
EXPRESSIONS: dict[type[ast.AST], Handler] = {}

# The field of the operand that is nested in chains such as ``a + b + c + ...`` or ``x.f().g()[0]``. It is evaluated
# iteratively before the others, and the handler gets its value, so that a chain of thousands needs no stack.
_FIRST: dict[type[ast.AST], str] = {
    ast.BinOp: "left",
    ast.UnaryOp: "operand",
    ast.Compare: "left",
    ast.Attribute: "value",
    ast.Subscript: "value",
    ast.Call: "func",
}

# Unsupported constructs, and their replacements.
_HINTS: dict[type[ast.AST], str] = {
    ast.Break: "let the loop's condition end it: use 'while'",
    ast.Continue: "put the rest of the body under an 'if'",
    ast.Lambda: "write a function with @blockdsl.jit",
    ast.FunctionDef: "define the function outside of the kernel, with @blockdsl.jit",
    ast.AsyncFunctionDef: "kernels are not asynchronous",
    ast.ClassDef: "define the class outside of the kernel",
    ast.Try: "check conditions with tl.static_assert or tl.device_assert",
    ast.Raise: "use tl.static_assert or tl.device_assert",
    ast.With: "call the functions without a context manager",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Global: "return the value, or store it with tl.store",
    ast.Nonlocal: "return the value, or store it with tl.store",
    ast.Delete: "names end with the function",
    ast.Match: "write if and elif",
    ast.Dict: "use separate names or a tuple",
    ast.Set: "use a tuple",
    ast.DictComp: "use a list comprehension over compile-time values",
    ast.SetComp: "use a list comprehension over compile-time values",
    ast.GeneratorExp: "use a list comprehension over compile-time values",
    ast.Yield: "store results with tl.store",
    ast.Await: "kernels are not asynchronous",
    ast.MatMult: "use tl.dot(a, b)",
}

_NAMES: dict[type[ast.AST], str] = {
    ast.FunctionDef: "a nested 'def'",
    ast.ClassDef: "a class",
    ast.Try: "'try'",
    ast.Delete: "'del'",
    ast.GeneratorExp: "a generator expression",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.ImportFrom: "'import'",
}


def statement(kind: type[ast.AST]) -> Callable[[Handler], Handler]:
    """Registers the handler of a kind of statement."""
    return lambda handler: STATEMENTS.setdefault(kind, handler)


def expression(kind: type[ast.AST]) -> Callable[[Handler], Handler]:
    """Registers the handler of a kind of expression. For kinds in ``_FIRST`` it also gets that operand's value."""
    return lambda handler: EXPRESSIONS.setdefault(kind, handler)


def unsupported(node: ast.AST, construct: str | None = None) -> KernelSyntaxError:
    """Returns the error for a construct that kernels cannot use."""
    name = construct or _NAMES.get(type(node), f"'{type(node).__name__.lower()}'")
    return KernelSyntaxError(f"{name} is not part of the kernel language", hint=_HINTS.get(type(node)))


class _Located(Loc):
    """Context that adds a node's location to an error, and a hint if an argument of the launch is the reason."""

    def __init__(self, visitor: Visitor, node: ast.AST) -> None:
        super().__init__(visitor.source.location(node))
        self.visitor, self.node = visitor, node

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, TypeMismatchError) and error.location is None:
            error.hint = argument_hint(self.visitor, self.node, error) or error.hint
        super().__exit__(kind, error, trace)


class Visitor:
    """The state of one function during its visit.

    Attributes:
        emitter: Creates the ops.
        source: The function.
        functions: All functions of the module; calls go through it.
        scope: The values of the names, in the order of their definitions.
        depth: The number of structured regions (loops, sides of an if) around the current statement.
        result: A tuple of the result of the returns so far, or None before the first.
        ended: Whether the code after the current statement is unreachable.
        jumped: Whether a runtime branch precedes; a number that is returned is then a runtime value.
        kernel: Whether it is the kernel itself, which returns nothing.
        alone: The expression of the current expression statement.
        constants: Names that were declared ``name: tl.constexpr`` without a value.
    """

    def __init__(self, emitter: Emitter, source: KernelSource, functions: Functions, kernel: bool) -> None:
        self.emitter = emitter
        self.source = source
        self.functions = functions
        self.kernel = kernel
        self.scope: dict[str, Any] = {}
        self.depth = 0
        self.result: tuple[Any] | None = None
        self.ended = False
        self.jumped = False
        self.alone: ast.expr | None = None
        self.constants: set[str] = set()

    def visit_body(self, body: Sequence[ast.stmt]) -> None:
        """Visits statements until one ends the block."""
        for node in body:
            if self.ended:
                return
            with _Located(self, node):
                handler = STATEMENTS.get(type(node))
                if handler is None:
                    raise unsupported(node)
                handler(self, node)

    def visit(self, node: ast.AST) -> Any:
        """Returns the value of an expression."""
        chain: list[ast.AST] = []
        while (first := _FIRST.get(type(node))) is not None:
            chain.append(node)
            node = getattr(node, first)
        with _Located(self, node):
            handler = EXPRESSIONS.get(type(node))
            if handler is None:
                raise unsupported(node)
            value = handler(self, node)
        for link in reversed(chain):
            with _Located(self, link):
                value = EXPRESSIONS[type(link)](self, link, value)
        return value

    def at(self, node: ast.AST) -> None:
        """Sets the location of the following ops to a node."""
        self.emitter.locate(self.source.location(node))

    def apply(self, node: ast.AST, op: Op, *args: Any, **kwargs: Any) -> Any:
        """Runs an op with a node's location."""
        self.at(node)
        return self.emitter.run(op, args, kwargs)
