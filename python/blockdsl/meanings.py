"""What Python means otherwise than a kernel does, in an interpreted kernel: ``and``, ``or``, ``not`` and ``a < b < c``,
which Python decides by the truth of a value, which a block has not, and the methods that a number has as a scalar does.
They are compiled as calls; all else in the kernel's code is Python's own.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import weakref
from collections.abc import Callable
from types import CodeType
from typing import Any

from .language.debug import device_assert
from .language.logic import logical_and, logical_not, logical_or
from .language.op import METHODS
from .language.tensor import tensor
from .language.types import literal_type

_codes: weakref.WeakKeyDictionary[Callable[..., Any], CodeType] = weakref.WeakKeyDictionary()


def code_of(function: Callable[..., Any], source: Any = None) -> CodeType:
    """A kernel's code, of the same file, lines and columns. Variables of enclosing functions are looked up as globals.

    ``source`` has a jit function's text, and the line it begins at in the file. The names that ``MEANINGS`` has need to
    be among its globals.
    """
    if function not in _codes:
        text, line = (source.text, source.line) if source is not None else _read(function)
        # Empty lines in front give each its number in the file. A kernel in a function is indented, as a body may be.
        indented = text[:1].isspace()
        above = "\n" * (line - 1 - indented) + "if True:\n" * indented
        body = ast.parse(above + text).body[0]
        definition = body.body[0] if isinstance(body, ast.If) else body
        assert isinstance(definition, ast.FunctionDef), "checked when the kernel was decorated"
        _Rewriter().visit(definition)
        # What is evaluated where the function is defined was so then.
        definition.decorator_list, definition.returns = [], None
        arguments = definition.args
        arguments.defaults, arguments.kw_defaults = [], [None] * len(arguments.kwonlyargs)
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg]:
            if argument is not None:
                argument.annotation = None
        ast.fix_missing_locations(definition)
        module = compile(ast.Module([definition], []), function.__code__.co_filename, "exec", dont_inherit=True)
        _codes[function] = next(each for each in module.co_consts if isinstance(each, CodeType))
    return _codes[function]


def _read(function: Callable[..., Any]) -> tuple[str, int]:
    lines, line = inspect.getsourcelines(function)
    return "".join(lines), line


class _Rewriter(ast.NodeTransformer):
    """``a and b`` becomes ``.both(it, b) if .goes_on(it := a, False) else it``, and so on."""

    def __init__(self) -> None:
        self._names = (f".{number}" for number in itertools.count())

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        decisive = isinstance(node.op, ast.Or)
        values: list[ast.expr] = [self.visit(value) for value in node.values]
        result, *others = values
        for other in others:
            name = next(self._names)
            it = ast.NamedExpr(ast.Name(name, ast.Store()), result)
            test = _call(".goes_on", it, ast.Constant(decisive))
            joined = _call(".either" if decisive else ".both", ast.Name(name, ast.Load()), other)
            result = ast.IfExp(test, joined, ast.Name(name, ast.Load()))
        return ast.copy_location(result, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return ast.copy_location(_call(".not", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            self.generic_visit(node)
            return node
        parts: list[ast.expr] = []
        left = node.left
        for kind, right in zip(node.ops[:-1], node.comparators[:-1], strict=True):
            name = next(self._names)
            parts.append(ast.Compare(left, [kind], [ast.NamedExpr(ast.Name(name, ast.Store()), right)]))
            left = ast.Name(name, ast.Load())
        parts.append(ast.Compare(left, [node.ops[-1]], [node.comparators[-1]]))
        return self.visit_BoolOp(ast.copy_location(ast.BoolOp(ast.And(), parts), node))

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        self.generic_visit(node)
        call = ast.Expr(_call(".assert", node.test, node.msg or ast.Constant("")))
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr not in _ATTRIBUTES:
            return node
        return ast.copy_location(_call(".attribute", node.value, ast.Constant(node.attr)), node)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _goes_on(value: Any, decisive: bool) -> bool:
    """Is what follows looked at? A tensor never decides, a compile-time value may."""
    return isinstance(value, tensor) or bool(value) is not decisive


def _joined(value: Any, other: Any, decisive: bool) -> Any:
    if not isinstance(value, tensor):
        return other
    if not isinstance(other, tensor):
        return decisive if bool(other) is decisive else value
    return (logical_or if decisive else logical_and)(value, other)


_ATTRIBUTES = {"dtype", "type", "value", *METHODS}


def _attribute(owner: Any, name: str) -> Any:
    """A number has what the front end gives it; anything else has its own."""
    if not isinstance(owner, (int, float)):
        return getattr(owner, name)
    if name in METHODS:
        return functools.partial(METHODS[name], owner)
    return owner if name == "value" else literal_type(owner)


# No kernel has names like these.
MEANINGS: dict[str, Callable[..., Any]] = {
    ".goes_on": _goes_on,
    ".both": lambda value, other: _joined(value, other, False),
    ".either": lambda value, other: _joined(value, other, True),
    ".attribute": _attribute,
    ".assert": lambda value, text: device_assert(value if isinstance(value, tensor) else bool(value), text),
    ".not": lambda value: logical_not(value) if isinstance(value, tensor) else not value,
}
