"""Differences between the public APIs of Triton and blockdsl: members and parameters that only Triton has."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import triton

_OTHERS = (
    "triton._", "triton.backends.amd", "triton.backends.nvidia", "triton.experimental", "triton.instrumentation",
    "triton.language.extra.hip", "triton.plugins", "triton.profiler", "triton.tools.triton_to_gluon",
)  # fmt: skip
"""Modules for other devices and languages, and modules that only Triton's own tests import."""

_OF_TYPING = ("TypeVar", "ParamSpec")


def modules() -> list[str]:
    """Returns Triton's modules, without those for other devices and private ones."""
    found = (each.name for each in pkgutil.walk_packages(triton.__path__, "triton."))
    return ["triton", *sorted(name for name in found if "._" not in name and not name.startswith(_OTHERS))]


def public(module: ModuleType) -> set[str]:
    """Returns the names that a module defines or exports, without other imported names."""
    own = {
        name for name, value in vars(module).items()
        if name[0] != "_" and not inspect.ismodule(value)
        and getattr(value, "__module__", module.__name__) == module.__name__
        and type(value).__name__ not in _OF_TYPING and name != "TYPE_CHECKING"
    }  # fmt: skip
    exported = {name for name in getattr(module, "__all__", ()) if "." not in name}
    return own | exported


def _members(kind: Any) -> set[str]:
    return {name for name in dir(kind) if name[0] != "_"}


def _parameters(function: Any) -> list[str] | None:
    """Returns the names of parameters, without those that Triton passes itself."""
    while hasattr(function, "fn"):
        function = function.fn
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return [name for name in names if name[0] != "_" and name != "self"]


def _missing(name: str, theirs: Any, ours: Any) -> Iterator[str]:
    if inspect.isclass(theirs):
        known = _members(ours)
        fields = set(getattr(ours, "__dataclass_fields__", ())) | set(getattr(ours, "__annotations__", ()))
        yield from (f"{name}.{each}" for each in sorted(_members(theirs) - known - fields))
    elif inspect.isfunction(theirs) or hasattr(theirs, "fn"):
        expected, actual = _parameters(theirs), _parameters(ours)
        # The table determines the number of arguments of libdevice's functions.
        if expected is not None and actual is not None and actual != ["args"]:
            yield from (f"{name}({each})" for each in expected if each not in actual)


def gaps() -> dict[str, set[str]]:
    """Returns the missing names of each module: ``name``, ``Class.member``, ``function(parameter)``, or ``*`` for the
    whole module."""
    found: dict[str, set[str]] = {}
    for name in modules():
        theirs = importlib.import_module(name)
        try:
            ours = importlib.import_module(name.replace("triton", "blockdsl", 1))
        except ModuleNotFoundError:
            found[name] = {"*"}
            continue
        missing = public(theirs) - {*dir(ours)}
        for each in public(theirs) - missing:
            missing |= set(_missing(each, getattr(theirs, each), getattr(ours, each)))
        if missing:
            found[name] = missing
    return found
