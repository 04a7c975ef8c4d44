"""AST rewriter of interpreted kernels: gives Python code the semantics of compiled kernels.

``and``, ``or``, ``not`` and chained comparisons work on blocks, methods work on Python numbers, and a number assigned
to a name keeps its type, so that operators on it are those of scalars. These constructs become calls; other code runs
as Python.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import operator
import weakref
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

from . import parsing
from .language.debug import device_assert
from .language.folding import KNOWN, fold, is_constexpr, is_one_constant, returned
from .language.logic import logical_and, logical_not, logical_or
from .language.op import METHODS, expect_use
from .language.scalars import ScalarNumber, held, literal_type
from .language.tensor import tensor

_codes: weakref.WeakKeyDictionary[Callable[..., Any], CodeType] = weakref.WeakKeyDictionary()


def code_of(function: Callable[..., Any], source: Any = None) -> CodeType:
    """Returns a kernel's rewritten code, with its file, lines and columns. It looks up variables of enclosing functions
    as globals.

    ``source`` has a jit function's text and its first line in the file. The code's globals must contain the names of
    ``MEANINGS``.
    """
    if function not in _codes:
        text, line = (source.text, source.line) if source is not None else _read(function)
        # Empty lines preserve the line numbers. An indented kernel, defined in a function, becomes the body of an `if`.
        indented = text[:1].isspace()
        above = "\n" * (line - 1 - indented) + "if True:\n" * indented
        body = parsing.parse(above + text).body[0]
        definition = body.body[0] if isinstance(body, ast.If) else body
        assert isinstance(definition, ast.FunctionDef), "checked when the kernel was decorated"
        _Rewriter().visit(definition)
        # Decorators, defaults and annotations were evaluated at the definition.
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


_CHOSEN = ".chosen"


class _Rewriter(ast.NodeTransformer):
    """``a and b`` becomes ``.both(it, b) if .goes_on(it := a, False) else it``, and so on."""

    def __init__(self) -> None:
        self._names = (f".{number}" for number in itertools.count())
        self._constants: set[str] = set()
        self._returned: list[ast.expr] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """A function with several returns records whether a run-time condition has chosen among them."""
        self._returned = returned(node)
        self.generic_visit(node)
        if self._records_conditions():
            start = ast.Assign([ast.Name(_CHOSEN, ast.Store())], ast.Constant(False))
            node.body.insert(0, ast.copy_location(start, node.body[0]))
        return node

    def _records_conditions(self) -> bool:
        return len(self._returned) > 1 and not is_one_constant(self._returned)

    def visit_If(self, node: ast.If) -> ast.stmt:
        returns = self._records_conditions() and any(isinstance(each, ast.Return) for each in ast.walk(node))
        self.generic_visit(node)
        if returns:
            both = _call(".choose", ast.Name(_CHOSEN, ast.Load()), node.test)
            assigned = ast.NamedExpr(ast.Name(_CHOSEN, ast.Store()), both)
            node.test = ast.copy_location(ast.Attribute(assigned, "truth", ast.Load()), node.test)
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if node.value is not None and self._records_conditions():
            common_types = _common_constants(self._returned)
            self.generic_visit(node)
            call = _call(".returned", ast.Name(_CHOSEN, ast.Load()), ast.Constant(common_types), node.value)
            node.value = ast.copy_location(call, node.value)
        else:
            self.generic_visit(node)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        decisive = isinstance(node.op, ast.Or)
        values: list[ast.expr] = [self.visit(value) for value in node.values]
        result, *rest = values
        for other in rest:
            name = next(self._names)
            assigned = ast.NamedExpr(ast.Name(name, ast.Store()), result)
            test = _call(".goes_on", assigned, ast.Constant(decisive))
            joined = _call(".either" if decisive else ".both", ast.Name(name, ast.Load()), other)
            result = ast.IfExp(test, joined, ast.Name(name, ast.Load()))
        return ast.copy_location(result, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(_call(".not", node.operand), node)
        return node if isinstance(node.operand, ast.Constant) else _operator(node, KNOWN[type(node.op)], node.operand)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        alone = isinstance(node.value, ast.Call)
        self.generic_visit(node)
        if alone and isinstance(node.value, ast.Call):
            node.value.func = ast.copy_location(_call(".alone", node.value.func), node.value.func)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        if not (isinstance(node.targets[0], ast.Name) and node.targets[0].id in self._constants):
            node.value = ast.copy_location(_call(".held", node.value), node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return node
        before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        after = self.visit(ast.copy_location(ast.BinOp(before, node.op, node.value), node))
        return ast.copy_location(ast.Assign([node.target], ast.copy_location(_call(".held", after), node)), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if node.value is None and isinstance(node.target, ast.Name) and is_constexpr(node.annotation):
            self._constants.add(node.target.id)
        elif node.value is not None and not is_constexpr(node.annotation):
            node.value = ast.copy_location(_call(".held", node.value), node.value)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node)
        node.value = ast.copy_location(_call(".held", node.value), node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = KNOWN.get(type(node.op))
        return node if name is None else _operator(node, name, node.left, node.right)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            self.generic_visit(node)
            name = KNOWN.get(type(node.ops[0]))
            return node if name is None else _operator(node, name, node.left, node.comparators[0])
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


def _common_constants(nodes: Sequence[ast.expr]) -> Any:
    """Returns whether all returns of a function have the same constant; for tuples a tuple of these results."""
    if all(isinstance(node, ast.Tuple) for node in nodes):
        parts = [node.elts for node in nodes if isinstance(node, ast.Tuple)]
        if len({len(part) for part in parts}) == 1:
            return tuple(map(_common_constants, zip(*parts, strict=True)))
    return is_one_constant(nodes)


def _with_checked_use(function: Any) -> Any:
    """Checks that the result of a function may be unused, for a statement that only calls it. Returns the function."""
    # The function itself, a method of a value, or the function in the wrapper of a jit function or aggregate's method.
    for each in (function, getattr(function, "func", None), getattr(function, "function", None)):
        expect_use(each)
    return function


class _Chosen:
    """The condition of an ``if`` with a return. Records whether it or an earlier one was decided at run time."""

    def __init__(self, before: Any, truth: Any) -> None:
        self.truth = truth
        self.at_run_time = isinstance(truth, tensor) or bool(before and before.at_run_time)


def _returning(chosen: Any, common_types: Any, value: Any) -> Any:
    """Returns a function's result. If a run-time condition chooses among the returns, numbers become scalars."""
    if not chosen or not chosen.at_run_time or common_types is True:
        return value
    if isinstance(common_types, tuple) and type(value) is tuple and len(common_types) == len(value):
        return tuple(_returning(chosen, one, each) for one, each in zip(common_types, value, strict=True))
    return held(value)


def _operator(node: ast.expr, name: str, *operands: ast.expr) -> ast.expr:
    return ast.copy_location(_call(".operator", ast.Constant(name), *operands), node)


def _operated(name: str, *operands: Any) -> Any:
    """Applies an operator; for scalar numbers with the front end's semantics."""
    if any(isinstance(each, ScalarNumber) for each in operands):
        return fold(name, *operands)
    return getattr(operator, name)(*operands)


def _goes_on(value: Any, decisive: bool) -> bool:
    """Returns whether the next operand is evaluated. Only compile-time values short-circuit, tensors never."""
    return isinstance(value, tensor) or bool(value) is not decisive


def _joined(value: Any, other: Any, decisive: bool) -> Any:
    if not isinstance(value, tensor):
        return other
    if not isinstance(other, tensor):
        return decisive if bool(other) is decisive else value
    return (logical_or if decisive else logical_and)(value, other)


_ATTRIBUTES = {"dtype", "type", "value", *METHODS}


def _attribute(owner: Any, name: str) -> Any:
    """Returns an attribute: of a number one that the front end defines, else the object's own."""
    if not isinstance(owner, (int, float)):
        return getattr(owner, name)
    if name in METHODS:
        return functools.partial(METHODS[name], owner)
    return owner if name == "value" else literal_type(owner)


# Names with a leading dot are no identifiers, so they cannot conflict with a kernel's names.
MEANINGS: dict[str, Callable[..., Any]] = {
    ".goes_on": _goes_on,
    ".both": lambda value, other: _joined(value, other, False),
    ".either": lambda value, other: _joined(value, other, True),
    ".attribute": _attribute,
    ".held": held,
    ".alone": _with_checked_use,
    ".choose": _Chosen,
    ".returned": _returning,
    ".operator": _operated,
    ".assert": lambda value, text: device_assert(value if isinstance(value, tensor) else bool(value), text),
    ".not": lambda value: logical_not(value) if isinstance(value, tensor) else not value,
}
