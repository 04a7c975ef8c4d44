"""Assignment of values to names."""

from __future__ import annotations

import ast
from typing import Any

from ..errors import KernelSyntaxError, TypeMismatchError
from .values import is_sequence
from .visitor import Visitor


def assign(visitor: Visitor, target: ast.AST, value: Any) -> None:
    """Assigns a value to a name, or values to the names of a tuple."""
    if isinstance(target, ast.Name):
        visitor.scope[target.id] = value
        return
    if isinstance(target, (ast.Tuple, ast.List)):
        if not is_sequence(value):
            raise TypeMismatchError(f"a tuple is expected to unpack, got {getattr(value, 'type', value)}")
        starred = next((each for each in target.elts if isinstance(each, ast.Starred)), None)
        if starred is not None:
            raise KernelSyntaxError(
                "a starred target is not part of the kernel language", hint="take a slice: rest = values[1:]"
            )
        if len(value) != len(target.elts):
            raise TypeMismatchError(f"{len(target.elts)} values are expected to unpack, got {len(value)}")
        for one, item in zip(target.elts, value, strict=True):
            assign(visitor, one, item)
        return
    if isinstance(target, ast.Subscript):
        raise element_assigned(None)
    raise KernelSyntaxError("assignment to an attribute is not part of the kernel language", hint=_UNCHANGED)


_UNCHANGED = "blocks do not change; build another with tl.where, or use tl.store on memory"


def element_assigned(hint: str | None) -> KernelSyntaxError:
    """Returns the error for ``x[i] = value``."""
    return KernelSyntaxError("assignment to an element is not part of the kernel language", hint=hint or _UNCHANGED)
