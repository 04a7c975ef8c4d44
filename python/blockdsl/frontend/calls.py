"""Calls: of ops, of jit functions, of functions that run while the kernel is compiled, and of a few builtins."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
from typing import Any

from ..errors import BlockdslError, KernelSyntaxError, Loc, MissingNameError, TypeMismatchError
from ..language.aggregate import BoundMethod
from ..language.constexpr import ConstexprFunction, constexpr
from ..language.debug import device_print
from ..language.op import LibraryFunction, Op, expect_use, without_annotations
from ..language.program import condition, static_range
from ..language.program import range as tl_range
from ..language.scalars import plain as plain_number
from ..language.select import builtin_max, builtin_min
from ..language.shape import as_tensor
from ..language.suggestions import function_instead, method_instead
from ..language.tensor import tensor
from ..language.types import Type
from .attributes import attribute
from .hints import call_hint
from .source import source_of
from .values import Bound, is_object, leaves
from .visitor import Visitor, expression

# Replacements of Python's builtins in kernels.
_REPLACED: dict[Any, Op] = {
    builtins.min: builtin_min,
    builtins.max: builtin_max,
    builtins.print: device_print,
}
_PLAIN = (len, list, tuple, isinstance, int, float, bool, str, range, enumerate, zip)


@expression(ast.Call)
def _call(visitor: Visitor, node: ast.Call, function: Any) -> Any:
    if node is visitor.alone:
        expect_use(function.function if isinstance(function, (Bound, BoundMethod)) else function)
    args: list[Any] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            args.extend(visitor.visit(argument.value))
        else:
            args.append(visitor.visit(argument))
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise KernelSyntaxError("'**' in a call is not part of the kernel language", hint="name the arguments")
        kwargs[keyword.arg] = visitor.visit(keyword.value)
    visitor.at(node)
    return call(visitor, node, function, args, kwargs)


def call(visitor: Visitor, node: ast.AST, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Calls any function that a kernel may call."""
    if isinstance(function, Bound):
        owner = function.owner
        if not is_object(owner):
            owner = as_tensor(visitor.emitter, owner)
        return call(visitor, node, function.function, [owner, *args], kwargs)
    if isinstance(function, BoundMethod):
        if isinstance(function.function, ConstexprFunction):
            return _guarded(function.function.function.__name__, function, args, kwargs)
        return call(visitor, node, function.function, [function.owner, *args], kwargs)
    if isinstance(function, Op):
        return visitor.emitter.run(function, args, kwargs)
    if source_of(function) is not None:
        return _call_compiled(visitor, node, function, args, kwargs)
    try:
        if function in _REPLACED:
            return visitor.emitter.run(_REPLACED[function], args, kwargs)
    except TypeError:
        pass  # Unhashable objects are none of these functions.
    if function in (getattr, hasattr) and len(args) > 1:
        return _ask(visitor, node, function, args)
    if function in (tl_range, static_range, condition):
        return _loop_control(function, args, kwargs)
    return _call_plain(function, args, kwargs)


def _loop_control(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Returns a range or a condition. Errors of its arguments are worded like those of ops."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        name = function.__name__
        parameters = without_annotations(signature.replace(return_annotation=inspect.Signature.empty))
        raise TypeMismatchError(f"'{name}' {error}", hint=f"its signature is {name}{parameters}") from None
    return function(*args, **kwargs)


def _call_compiled(visitor: Visitor, node: ast.AST, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    try:
        with Loc(visitor.source.location(node), call=True):
            result = visitor.functions.call(function, args, kwargs)
    except BlockdslError as error:
        if isinstance(function, LibraryFunction):
            # The error gets the location of the call instead of one in the library.
            error.location, error.calls = None, ()
            function.tell(error)
        raise
    return result


def _ask(visitor: Visitor, node: ast.AST, function: Any, args: list[Any]) -> Any:
    """Evaluates ``getattr`` or ``hasattr``, with the attributes that a kernel's value has in the language."""
    try:
        found = attribute(visitor, node, args[0], args[1])
    except MissingNameError:
        if function is getattr and len(args) == 2:
            raise
        return False if function is hasattr else args[2]
    return True if function is hasattr else found


def _call_plain(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Calls a Python function on compile-time values."""
    name = getattr(function, "__name__", repr(function))
    if function is constexpr:
        return plain_number(args[0])
    if isinstance(function, Type):
        type_name = repr(function).replace("blockdsl.language", "tl")
        raise KernelSyntaxError(f"{type_name} is a type, which a kernel does not call", hint=f"write x.to({type_name})")
    plain = function in _PLAIN or isinstance(function, (ConstexprFunction, type)) or _is_method_of_value(function)
    if not plain:
        raise KernelSyntaxError(
            f"'{name}' is a Python function, which a kernel cannot call",
            hint=call_hint(name, function),
        )
    if function is len and args and isinstance(args[0], tensor):
        raise TypeMismatchError(
            f"'len' expects a tuple or a list, got a value of type {args[0].type}",
            hint="pass the number of elements as an argument" if args[0].dtype.is_ptr() else "write x.shape[0]",
        )
    if function in (int, float, bool) and args and isinstance(args[0], tensor):
        raise KernelSyntaxError(
            f"'{name}' expects a compile-time value, got a value of type {args[0].type}",
            hint=f"convert with .to({ {int: 'tl.int32', float: 'tl.float32', bool: 'tl.int1'}[function] })",
        )
    if function in (len, isinstance) or isinstance(function, type):
        return _guarded(name, function, args, kwargs)
    runtime = next(leaves((tuple(args), tuple(kwargs.values()))), None)
    if runtime is not None:
        raise KernelSyntaxError(
            f"'{name}' runs while the kernel is compiled and expects compile-time values, "
            f"got one of type {runtime.type}",
            hint=_runtime_hint(name, function),
        )
    return _guarded(name, function, args, kwargs)


def _runtime_hint(name: str, function: Any) -> str:
    if isinstance(getattr(function, "__self__", None), list):
        return method_instead(name, ()) or "lists are known when the kernel is compiled"
    return function_instead(name) or "decorate it with @blockdsl.jit"


def _is_method_of_value(function: Any) -> bool:
    """Returns whether a function is a method of a type, text or container, such as ``x.dtype.is_floating``, or is a
    function of ``math``."""
    owner = getattr(function, "__self__", None)
    return owner is math or isinstance(owner, (Type, str, tuple, list, dict))


def _guarded(name: str, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    try:
        return function(*args, **kwargs)
    except BlockdslError:
        raise
    except Exception as error:
        mistake = TypeMismatchError(f"'{name}' failed while the kernel was compiled: {error}")
        # The traceback with the user's function shows the failing line.
        raise mistake.with_traceback(error.__traceback__) from error
