"""Tests of random tt modules: compiled results equal those of the evaluator of ``irfuzz``.

A number names a module. ``python -m irfuzz modules`` runs more of them, and shrinks failing ones.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

from irfuzz import draw, judge, shrink
from irfuzz.module import InvalidError, Module, evaluate, text_of, walk
from irfuzz.ops import OPS
from workers import Died, run_all


@pytest.fixture(autouse=True)
def uncached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_modules_compute_expected_values(first: int) -> None:
    ends = run_all(judge.check, range(first, first + 50), jobs=1, timeout=60)
    assert [(seed, str(end)) for seed, end in ends if isinstance(end, Died)] == []


def test_every_op_is_drawn() -> None:
    modules = [draw.drawn(seed) for seed in range(400)]
    kinds = {node.kind for module in modules for region in shrink.regions_of(module) for _, _, node in walk(region)}
    assert kinds == set(OPS)


def wrong_everywhere(module: Module) -> Module:
    """Returns a module whose evaluation differs from its text: every selection is inverted."""
    made = copy.deepcopy(module)
    for region in shrink.regions_of(made):
        for _, _, node in walk(region):
            if node.kind == "arith.select":
                node.operands = [node.operands[0], node.operands[2], node.operands[1]]
    return made


def test_difference_is_found_and_shrunk() -> None:
    """With a wrong compiler, the search finds a difference, and the shrunk module shows it."""

    def fails(module: Module) -> str | None:
        try:
            left, right = evaluate(module), evaluate(wrong_everywhere(module))
        except InvalidError:
            return None
        same = all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))
        return None if same else "value"

    seed = next(seed for seed in range(100) if fails(draw.drawn(seed)))
    module = draw.drawn(seed)
    small = shrink.shrunk(module, fails, seconds=10)
    assert fails(small) == "value"
    assert len(text_of(small).splitlines()) < len(text_of(module).splitlines()) / 2
    assert any(node.kind == "arith.select" for _, _, node in walk(small.kernel))


def test_out_of_bounds_store_is_found() -> None:
    """Memory that no program of the module writes is compared too."""
    module = draw.drawn(0)
    expected = evaluate(module)
    changed = expected[0].copy()
    changed[-1] ^= 1
    assert judge.difference("i8", changed, expected[0]) is not None
    assert judge.difference("i8", expected[0], expected[0]) is None
