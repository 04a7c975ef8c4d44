"""Attributes: methods of blocks, descriptors and numbers, names in modules, and attributes of Python's objects."""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from ..errors import MissingNameError
from ..language.attributes import PropagateNan
from ..language.op import METHODS, OPS
from ..language.scalars import literal_type
from ..language.suggestions import method_instead, name_instead
from ..language.tensor import tensor
from .expressions import from_outside
from .source import is_plain
from .values import OBJECTS, Bound, is_number
from .visitor import Visitor, expression

_FIELDS = ("dtype", "shape", "type", "numel")
_LANGUAGE = tensor.__module__.rpartition(".")[0]


@expression(ast.Attribute)
def _attribute(visitor: Visitor, node: ast.Attribute, owner: Any) -> Any:
    return attribute(visitor, node, owner, node.attr)


def attribute(visitor: Visitor, node: ast.AST, owner: Any, name: str) -> Any:
    """Returns the value of ``owner.name`` in a kernel."""
    visitor.at(node)
    if isinstance(owner, tensor):
        if name == "T":
            return visitor.apply(node, OPS["trans"], owner)
        if name in METHODS:
            return Bound(METHODS[name], owner)
        if name in _FIELDS:
            return getattr(owner, name)
        raise MissingNameError(f"a block has no attribute '{name}'", hint=method_instead(name, [*METHODS, *_FIELDS]))
    for kind, methods in OBJECTS.items():
        if isinstance(owner, kind) and name in methods:
            return Bound(OPS[methods[name]], owner)
    if is_number(owner):
        if name == "value":
            return owner
        if name in METHODS:
            return Bound(METHODS[name], owner)
        if name in ("dtype", "type"):
            return literal_type(owner)
    if owner is PropagateNan:
        return getattr(owner, name)
    if isinstance(owner, ModuleType):
        try:
            value = getattr(owner, name)
        except MissingNameError:
            raise
        except AttributeError:
            hint = name_instead(name) if owner.__name__.startswith(_LANGUAGE) else None
            raise MissingNameError.of(name, dir(owner), owner.__name__, hint) from None
        return value if is_plain(value) else from_outside(name, value)
    try:
        return getattr(owner, name)
    except MissingNameError:
        raise
    except AttributeError:
        raise MissingNameError(f"{owner!r} has no attribute '{name}'") from None
