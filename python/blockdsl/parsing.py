"""Python's parser, called again where another thread disturbs it.

Python counts the depth of the tree that it creates in a variable of the whole interpreter. If a finalizer of Python
code, which the garbage collector calls meanwhile, lets another thread parse, both counts are wrong, and ``ast.parse``
raises SystemError. It does so, too, if an allocation fails (both seen with Python 3.11).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_ATTEMPTS = 20


def parse(text: str) -> ast.Module:
    """Returns the syntax tree of a module."""
    return undisturbed(lambda: ast.parse(text))


def undisturbed(function: Callable[[], T]) -> T:
    """Returns the result of a function that parses."""
    for _ in range(_ATTEMPTS):
        try:
            return function()
        except SystemError:
            continue
    return function()
