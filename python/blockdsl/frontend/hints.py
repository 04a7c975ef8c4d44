"""Hints of errors, in terms of the kernel's parameters, expressions and lines."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import BlockdslError, TypeMismatchError
from ..language.promotion import computation_type
from ..language.suggestions import function_instead
from ..language.tensor import tensor
from ..language.types import dtype

if TYPE_CHECKING:
    from .visitor import Visitor

_LIBRARIES = {"numpy", "torch", "scipy", "jax", "triton", "numba", "cupy"}


def call_hint(name: str, function: Any) -> str:
    """Returns a replacement for a call of a Python function."""
    module = str(getattr(function, "__module__", None) or "").partition(".")[0]
    if module == "triton":
        return "write `import blockdsl.language as tl`: Triton's functions are for kernels of triton.jit"
    if inspect.isfunction(function) and module not in _LIBRARIES | sys.stdlib_module_names:
        return "decorate it with @blockdsl.jit, or with @tl.constexpr_function for compile-time values"
    return function_instead(name) or "a kernel calls functions of blockdsl.language, and others with @blockdsl.jit"


class _Argument:
    """A parameter of the kernel that still has the value from the launch."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value
        self.is_runtime = isinstance(value, tensor)
        self.is_pointer = self.is_runtime and value.dtype.is_ptr()
        self.is_float = isinstance(value, float) or (self.is_runtime and value.dtype.is_floating())


def _arguments(visitor: Visitor) -> Iterator[_Argument]:
    if not visitor.kernel:
        return
    tree = visitor.source.tree
    stored = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    for parameter in visitor.source.parameters:
        if parameter.name in visitor.scope and parameter.name not in stored:
            yield _Argument(parameter.name, visitor.scope[parameter.name])


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def argument_hint(visitor: Visitor, node: ast.AST, error: BlockdslError) -> str | None:
    """Returns the hint for an error at ``node`` that is caused by an argument of the launch, or None."""
    message = error.message
    every = list(_arguments(visitor))
    used = [each for each in every if each.name in _names(node)]
    if "expects a pointer" in message and isinstance(node, ast.Call) and node.args:
        of_pointer = [each for each in used if each.name in _names(node.args[0])]
        return _wants_tensor(of_pointer)
    if "None" in message:
        return _wants_tensor([each for each in used if each.value is None])
    if "a number or a block is expected" in message:
        return next((_wants_item(each) for each in used if not each.is_runtime and hasattr(each.value, "item")), None)
    if "pointer<" in message and " numbers" in message:
        return next((_wants_number(each) for each in used if each.is_pointer), None)
    if "integer" in message:
        return _wants_integer(node, used, every, error)
    return None


def _wants_tensor(arguments: Sequence[_Argument]) -> str | None:
    for each in arguments:
        if each.value is None:
            return f"the launch passes None for '{each.name}': pass a tensor, or test `if {each.name} is not None:`"
        if isinstance(each.value, (int, float)) or (each.is_runtime and not each.is_pointer):
            return f"the launch passes a number for '{each.name}': pass a tensor"
    return None


def _wants_item(argument: _Argument) -> str:
    name = argument.name
    return f"the launch passes a tensor for '{name}', which is known at compile time: pass {name}={name}.item()"


def _wants_number(argument: _Argument) -> str:
    name = argument.name
    return (
        f"the launch passes a tensor for '{name}', which is a pointer here: pass a number, or load elements first, "
        f"as in tl.load({name})"
    )


def _wants_integer(
    node: ast.AST, used: Sequence[_Argument], every: Sequence[_Argument], error: BlockdslError
) -> str | None:
    for each in used:
        if each.is_pointer and "pointer<" in error.message:
            return _wants_number(each)
        if each.is_runtime and not each.is_pointer and not each.is_float and "compile-time" in error.message:
            if "static_range" in error.message:
                return f"declare the parameter as `{each.name}: tl.constexpr`, or use tl.range"
            return (
                f"declare the parameter as `{each.name}: tl.constexpr`; for any number of elements use a constant "
                f"extent, and mask=offsets < {each.name}"
            )
    for division in ast.walk(node):
        if isinstance(division, ast.BinOp) and isinstance(division.op, ast.Div):
            return f"write {ast.unparse(ast.BinOp(division.left, ast.FloorDiv(), division.right))}"
    for each in (*used, *every):
        if isinstance(each.value, float):
            value = each.value
            replacement = f"{each.name}={int(value)}" if value.is_integer() else "an integer"
            return f"the launch passes {value!r} for '{each.name}': pass {replacement}"
        if each.is_float and each in used:
            return f"the launch passes a float for '{each.name}': pass an integer"
    return None


def _operand(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript)) else f"({text})"


def element(pointer: ast.expr, index: ast.expr) -> str:
    """Returns the address expression for ``pointer[index]`` in NumPy's meaning."""
    if not isinstance(index, ast.Slice):
        return _operand(pointer) + ("" if _is_zero(index) else f" + {_operand(index)}")
    extent = "BLOCK" if index.upper is None else ast.unparse(index.upper)
    lower = "0" if index.lower is None else ast.unparse(index.lower)
    return f"{_operand(pointer)} + tl.arange({lower}, {extent})"


def _is_zero(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and index.value == 0


def index_hint(owner: tensor, key: Any, node: ast.Subscript) -> str | None:
    """Returns a replacement for an index or a slice of a one-dimensional block."""
    if len(owner.shape) != 1:
        return None
    block, index = ast.unparse(node.value), ast.unparse(node.slice)
    extent = owner.shape[0]
    if isinstance(key, tensor) and key.shape:
        return f"write tl.where({index}, {block}, 0), which has the same extent" if key.dtype.is_bool() else (
            f"write tl.gather({block}, {index}, axis=0)"
        )  # fmt: skip
    if isinstance(key, (int, tensor)):
        return f"write tl.sum(tl.where(tl.arange(0, {extent}) == {index}, {block}, 0))"
    return None


def extent_hint(owner: Any, node: ast.Subscript) -> str | None:
    """Returns a hint for the shape of a pointer, which has no extents."""
    if owner == () and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return "a pointer has no extents: pass them as arguments, as in kernel[grid](x, x.shape[0])"
    return None


def assignment_hint(visitor: Visitor, target: ast.Subscript, value: str) -> str | None:
    """Returns a replacement for ``target = value``, an assignment to an element."""
    owner = visitor.visit(target.value)
    if not isinstance(owner, tensor):
        return None
    if owner.dtype.is_ptr():
        return f"write tl.store({element(target.value, target.slice)}, {value})"
    if len(owner.shape) != 1 or isinstance(target.slice, ast.Slice):
        return None
    block, index = ast.unparse(target.value), ast.unparse(target.slice)
    return f"write {block} = tl.where(tl.arange(0, {owner.shape[0]}) == {index}, {value}, {block})"


def loaded(target: ast.Subscript) -> str:
    """Returns the expression of an element's value before an augmented assignment."""
    return f"tl.load({element(target.value, target.slice)})"


Assignment = ast.Assign | ast.AnnAssign | ast.AugAssign


def last_assignment(name: str, body: Sequence[ast.stmt], before: int | None = None) -> Assignment | None:
    """Returns the last assignment to a name in these statements and nested ones, above line ``before`` if given."""
    found: Assignment | None = None
    for statement in body:
        for each in ast.walk(statement):
            if not isinstance(each, Assignment) or (before is not None and each.lineno >= before):
                continue
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets) and (
                found is None or each.lineno > found.lineno
            ):
                found = each
    return found


def conversion_hint(visitor: Visitor, name: str, sides: Sequence[tuple[Any, Sequence[ast.stmt]]], node: Any) -> str:
    """Returns a hint for a name with values of two types. Each side is a value and the statements that assign it."""
    values = [value for value, _ in sides]
    fallback = "convert one with .to(...), or use another name"
    if not all(isinstance(value, tensor) and isinstance(value.dtype, dtype) for value in values):
        return "use another name"
    try:
        target = computation_type("conversion", values[0].dtype, values[1].dtype)
    except TypeMismatchError:
        return fallback
    shape = max((tuple(value.shape) for value in values), key=len)
    assignments = [last_assignment(name, body) or last_assignment(name, visitor.source.tree.body, node.lineno)
            for _, body in sides]  # fmt: skip
    for at, (value, assignment) in enumerate(zip(values, assignments, strict=True)):
        other, other_value = assignments[1 - at], values[1 - at]
        if assignment is None or (value.dtype == target and tuple(value.shape) == shape):
            continue
        converted = _converted(name, value, target, shape, assignment, visitor.source.location(assignment).line)
        if converted is not None and other is not None:
            return f"{converted}; line {visitor.source.location(other).line} gives {other_value.type}"
        return converted or fallback
    return fallback


def _converted(
    name: str, value: tensor, target: dtype, shape: tuple[int, ...], assignment: Assignment, line: int
) -> str | None:
    """Returns the statement that assigns a value of the wanted type and shape."""
    number = assignment.value if not isinstance(assignment, ast.AugAssign) else None
    is_number = isinstance(number, ast.Constant) and isinstance(number.value, (int, float))
    if is_number and isinstance(number, ast.Constant):
        if target.name == "fp32" and not shape:
            return f"in line {line} write {name} = {float(number.value)!r}"  # type: ignore[arg-type]
        return f"in line {line} write {name} = tl.full({shape}, {number.value!r}, {_spelled(target)})"
    if tuple(value.shape) == shape:
        return f"after line {line} write {name} = {name}.to({_spelled(target)})"
    if value.shape:
        return None
    return f"after line {line} write {name} = tl.full({shape}, {name}, {_spelled(target)})"


def _spelled(kind: dtype) -> str:
    return f"tl.{kind.codegen_name()}"


def with_load(target: ast.Subscript, op: ast.operator, value: ast.expr) -> str:
    """Returns the right side of the plain assignment for an augmented assignment to an element of memory."""
    before = ast.Name("\0", ast.Load())
    text = ast.unparse(ast.BinOp(before, copy.copy(op), value))
    return text.replace("\0", loaded(target))
