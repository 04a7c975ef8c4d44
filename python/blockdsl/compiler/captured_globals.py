"""Globals that a kernel's code depends on. Every launch compares their values, and a change discards the compiled
kernels."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from blockdsl.frontend.source import MISSING, KernelSource, is_python, python_functions, reads, source_of
from blockdsl.language.aggregate import captured_of

Binding = tuple[dict[str, Any], str, object]
"""A namespace, a name in it, and its value."""


def captured(source: KernelSource) -> tuple[Binding, ...]:
    """Returns the globals that the kernel, and every kernel it calls, reads."""
    found: dict[tuple[int, str], Binding] = {}
    _collect(source, found, set())
    return tuple(found.values())


def _collect(source: KernelSource, found: dict[tuple[int, str], Binding], visited: set[int]) -> None:
    visited.add(id(source.function))
    for namespace, name, value in _bindings(source):
        found[id(namespace), name] = (namespace, name, value)
        for each in (value, *captured_of(value).values()):
            for function in python_functions(each) if is_python(each) else ():
                found |= {
                    (id(function.__globals__), name_read): (function.__globals__, name_read, value_read)
                    for name_read, value_read in reads(function).items()
                    if name_read in function.__globals__ and not _is_ours(value_read)
                }
            callee = source_of(each)
            if callee is not None and id(callee.function) not in visited:
                _collect(callee, found, visited)


def _bindings(source: KernelSource) -> Iterator[Binding]:
    """Yields every name, and every attribute of a module, in the kernel's source, except for those of the language."""
    for node in source.names:
        if isinstance(node, ast.Name):
            namespace = source.function.__globals__
            value = namespace.get(node.id, MISSING)
            if value is not MISSING and not source.is_own(node.id) and not _is_ours(value):
                yield namespace, node.id, value
        elif isinstance(node.value, ast.Name):
            owner = source.lookup(node.value.id)
            if isinstance(owner, ModuleType) and not _is_ours(owner) and node.attr in vars(owner):
                yield vars(owner), node.attr, vars(owner)[node.attr]


def _is_ours(value: object) -> bool:
    return isinstance(value, ModuleType) and (value.__name__ + ".").startswith("blockdsl.")
