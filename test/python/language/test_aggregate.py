"""Tests of classes whose instances kernels make, carry through loops, ifs and calls, and read field by field."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@blockdsl.aggregate
class Running:
    total: tl.tensor
    factor: tl.constexpr = 3

    @blockdsl.jit
    def add(self, x):
        return Running(self.total + x * self.factor, self.factor)

    @blockdsl.jit
    def __add__(self, x):
        return self.add(x)

    @blockdsl.jit
    def __getitem__(self, shift):
        return self.total + shift

    @tl.constexpr_function
    def doubled(self):
        return self.factor * 2

    @staticmethod
    @blockdsl.jit
    def begin(x):
        return Running(x, 2)


@blockdsl.aggregate
class Pair:
    left: Running
    right: Running
    places: tl.tuple
    count: tl.constexpr

    @tl.constexpr_function
    def __init__(self, left, right, places=(0, 1)):
        self.left = left
        self.right = right
        self.places = places
        self.count = tl.constexpr(len(places))


@blockdsl.jit
def swapped(pair):
    return tl.aggregate_replace(pair, left=pair.right, right=pair.left)


@blockdsl.jit
def folded(out_ptr, x_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    state = Running(tl.zeros((N,), tl.float32))
    for i in range(n):
        state = state.add(tl.load(x_ptr + i * N + at))
        # It stays a compile-time value in a loop.
        tl.static_assert(state.factor == 3)
    if n > 2:
        state = state + 1.0
    tl.static_assert(state.doubled() == 6)
    tl.store(out_ptr + at, state[0.5])
    tl.store(out_ptr + N + at, Running.begin(state.total).add(1.0).total)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_aggregate_is_loop_carried(run: Run, n: int) -> None:
    x = torch.arange(32.0).reshape(4, 8)
    out = torch.zeros(2, 8)
    run(folded, (1,), out, x, n, N=8)
    total = x[:n].sum(0) * 3 + (3 if n > 2 else 0)
    assert torch.equal(out, torch.stack([total + 0.5, total + 2]))


@blockdsl.jit
def paired(out_ptr, n):
    pair = Pair(Running(tl.load(out_ptr), 5), right=Running(tl.load(out_ptr + 1), 5))
    if n > 1:
        pair = swapped(pair)
    i = 0
    while i < n:
        pair = tl.aggregate_replace(pair, left=pair.left + 1)
        i += 1
    tl.static_assert(pair.count == 2)
    tl.static_assert(pair.left.factor == 5)
    tl.store(out_ptr, pair.left.total)
    tl.store(out_ptr + pair.places[1], pair.right.total)


@pytest.mark.parametrize("n", [1, 2])
def test_nested_aggregates(run: Run, n: int) -> None:
    out = torch.tensor([10, 20], dtype=torch.int32)
    run(paired, (1,), out, n)
    assert out.tolist() == ([15, 20] if n == 1 else [30, 10])


@blockdsl.aggregate
class Longer(Running):
    more: tl.tensor = 1

    @blockdsl.jit
    def both(self):
        return self.total + self.more


@blockdsl.jit
def inherited(out_ptr):
    one = Longer(tl.load(out_ptr), 4, more=tl.load(out_ptr + 1))
    tl.store(out_ptr, one.both() * one.doubled())
    tl.store(out_ptr + 1, Longer(total=one.total).both())


def test_a_class_has_the_fields_and_methods_of_its_base(run: Run) -> None:
    out = torch.tensor([10, 20], dtype=torch.int32)
    run(inherited, (1,), out)
    assert out.tolist() == [240, 11]


@blockdsl.jit
def annotated(out_ptr, n):
    twice: tl.constexpr = n * 2
    tl.store(out_ptr, twice)


def test_constexpr_annotation_of_a_runtime_value(run: Run) -> None:
    out = torch.zeros(1, dtype=torch.int32)
    run(annotated, (1,), out, 7)
    assert out.item() == 14


PROGRAM = """
import torch, blockdsl, blockdsl.language as tl

@blockdsl.aggregate
class Scaled:
    x: tl.tensor

    @blockdsl.jit
    def value(self):
        return self.x * FACTOR

@blockdsl.jit
def kernel(out_ptr):
    tl.store(out_ptr, Scaled(tl.load(out_ptr)).value())

out = torch.ones(1)
kernel[(1,)](out)
print(out.item())
"""


def test_changed_method_recompiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("BLOCKDSL_CACHE", "1")
    found: list[Any] = []
    for factor in ("2", "5"):
        program = tmp_path / "program.py"
        program.write_text(PROGRAM.replace("FACTOR", factor))
        done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=120,
                              env={**__import__("os").environ, "PYTHONPATH": ":".join(sys.path)})  # fmt: skip
        found.append(done.stdout.strip() or done.stderr)
    assert found == ["2.0", "5.0"]
