"""Tests of returns under conditions, in every arrangement: code after them, and functions that end without one."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl

Tree = Any
"""A leaf is a statement; an if is a tuple of its branches, of which the second may be missing."""


def trees(depth: int) -> list[Tree]:
    """Returns all nestings of ifs, with a return or an assignment in each branch."""
    leaves: list[Tree] = ["return", "value"]
    if depth == 0:
        return leaves
    branches = trees(depth - 1)
    return leaves + [(then, otherwise) for then in branches for otherwise in [*branches, None]]


def lines(tree: Tree, number: Iterator[int], condition: int = 0, indent: str = "    ") -> str:
    if not isinstance(tree, tuple):
        return f"{indent}{'return' if tree == 'return' else f'value = {next(number)}'}\n"
    then, otherwise = tree
    text = f"{indent}if tl.load(conditions + {condition}) != 0:\n"
    text += lines(then, number, 2 * condition + 1, indent + "    ")
    if otherwise is not None:
        text += f"{indent}else:\n" + lines(otherwise, number, 2 * condition + 2, indent + "    ")
    return text


def expected(tree: Tree, conditions: list[int]) -> int:
    """Returns the value that a kernel stores, or -1 if it returns before that."""
    number = itertools.count(1)

    def value(tree: Tree, condition: int) -> int | None:
        if not isinstance(tree, tuple):
            return None if tree == "return" else next(number)
        results = [value(branch, 2 * condition + 1 + at) if branch else 0 for at, branch in enumerate(tree)]
        return results[0] if conditions[condition] else results[1]

    found = value(tree, 0)
    return -1 if found is None else found


NESTED = [tree for tree in trees(2) if isinstance(tree, tuple)]


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Writes a module with a kernel for each nesting."""
    text = "import blockdsl\nimport blockdsl.language as tl\n"
    for at, tree in enumerate(NESTED):
        text += f"\n\n@blockdsl.jit\ndef kernel{at}(conditions, out):\n    value = 0\n"
        text += lines(tree, itertools.count(1)) + "    tl.store(out, value)\n"
    path: Path = tmp_path_factory.mktemp("returns") / "nested_returns.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("nested_returns", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("at", range(len(NESTED)))
def test_returns_in_nested_ifs(run: Run, nested: Any, at: int) -> None:
    kernel = getattr(nested, f"kernel{at}")
    for choice in itertools.product((0, 1), repeat=3):
        conditions, out = torch.tensor(choice, dtype=torch.int32), torch.full((1,), -1, dtype=torch.int32)
        run(kernel, (1,), conditions, out)
        assert out.item() == expected(NESTED[at], list(choice)), (NESTED[at], choice)


# Paths without a return are intended.
@blockdsl.jit  # noqa: RET503
def positive(x):
    if x > 0:
        return x


@blockdsl.jit  # noqa: RET503
def deeper(x, y, p):
    if x > 0:
        if y > 0:
            return x, p
        x += 1
    elif y > 0:
        return y, p + 1
    x += 2


@blockdsl.jit  # noqa: RET503
def described(x, p):
    if x > 0:
        rows = tl.arange(0, 4)
        return (x + rows).to(tl.float16) * 0.5, (tl.make_block_ptr(p, (4,), (1,), (0,), (4,), (0,)), 1 == 1)


@blockdsl.jit
def takes_what_is_given(x_ptr, out_ptr):
    x, y = tl.load(x_ptr), tl.load(x_ptr + 1)
    given = positive(x)
    number, index = deeper(x, y, out_ptr)
    tl.static_assert(given.dtype == tl.int32)
    tl.store(out_ptr + 2, given * 2 + 1)
    tl.store(out_ptr + 3, index.to(tl.int64) == 0)
    tl.store(out_ptr + 4, number)
    if given is None:
        tl.store(out_ptr + 5, 1)
    block, (pointer, truth) = described(x, out_ptr)
    tl.static_assert(block.dtype == tl.float16)
    tl.store(out_ptr + 6, tl.sum(block).to(tl.int32))
    tl.store(out_ptr + 7, truth)
    tl.store(out_ptr + 8, tl.sum(tl.load(pointer, boundary_check=(0,))) & 0)


@pytest.mark.cpu_only  # Triton's compiler returns an undefined value.
@pytest.mark.parametrize(("x", "y"), [(3, 4), (-3, 4), (3, -4), (-3, -4)])
def test_paths_without_return_give_zeros(run: Run, x: int, y: int) -> None:
    out = torch.full((9,), 77, dtype=torch.int32)
    run(takes_what_is_given, (1,), torch.tensor([x, y], dtype=torch.int32), out)
    found = x if x > 0 and y > 0 else y if x <= 0 < y else 0
    total = int(sum((max(x, 0) + at) * 0.5 for at in range(4))) if x > 0 else 0
    assert out[2:].tolist() == [2 * max(x, 0) + 1, found == 0, found, 77, total, x > 0, 0]
