"""Tests of torch's version counters after stores of a launch: autograd refuses a saved tensor that has changed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import KernelAssertionError
from blockdsl.interpreted import InterpretedFunction
from blockdsl.tools.tensor_descriptor import TensorDescriptor


def double(x, y, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(y + at, 2 * tl.load(x + at))


def double_of_pair(pair, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(pair[1] + at, 2 * tl.load(pair[0] + at))


def double_described(x, y, B: tl.constexpr):
    y.store([0], 2 * x.load([0]))


def add_to(x, y, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.atomic_add(y + at, tl.load(x + at))


def described(x: torch.Tensor) -> TensorDescriptor:
    return TensorDescriptor(x, [16], [1], [16])


Launch = Callable[[torch.Tensor, torch.Tensor], object]


def compiled() -> Launch:
    kernel = blockdsl.jit(double).warmup(torch.float32, torch.float32, B=16, grid=(1,))
    return lambda x, y: kernel[(1,)](x, y)


def launches(make: Callable[[Any], Any]) -> list[Launch]:
    plain, pair, by_descriptor, atomic = map(make, (double, double_of_pair, double_described, add_to))
    return [
        lambda x, y: plain[(1,)](x, y, B=16),
        lambda x, y: plain.run(x, y, B=16, grid=(1,)),
        lambda x, y: plain[(1,)](x, blockdsl.reinterpret(y, tl.float32), B=16),
        lambda x, y: pair[(1,)]((x, y), B=16),
        lambda x, y: by_descriptor[(1,)](described(x), described(y), B=16),
        lambda x, y: atomic[(1,)](x, y, B=16),
    ]


WAYS = [*launches(blockdsl.jit), *launches(InterpretedFunction), compiled()]


@pytest.mark.parametrize("launch", WAYS, ids=range(len(WAYS)))
def test_stored_tensors_bump_version(launch: Launch) -> None:
    x = torch.ones(16)
    for count in range(1, 4):
        y = torch.zeros(16)
        for _ in range(count):
            launch(x, y)
        assert (x._version, y._version) == (0, count)


@pytest.mark.parametrize("launch", WAYS, ids=range(len(WAYS)))
def test_autograd_refuses_modified_tensors(launch: Launch) -> None:
    x = torch.ones(16, requires_grad=True)
    saved = x * 2
    loss = (saved * saved).sum()
    launch(torch.ones(16), saved.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    # Reading it is permitted.
    loss = (saved * saved).sum()
    launch(saved.detach(), torch.zeros(16))
    loss.backward()


def test_views_share_a_counter_and_data_has_its_own() -> None:
    kernel = blockdsl.jit(double)
    base = torch.zeros(4, 16)
    kernel[(1,)](torch.ones(16), base[2], B=16)
    assert base._version == 1
    kernel[(1,)](torch.ones(16), base.data[2], B=16)
    assert base._version == 1


def test_one_tensor_for_two_parameters() -> None:
    kernel, x = blockdsl.jit(double), torch.ones(16)
    kernel[(1,)](x, x, B=16)
    assert x._version == 1


def test_empty_grid_does_not_bump_version() -> None:
    kernel, y = blockdsl.jit(double), torch.zeros(16)
    kernel[(0,)](torch.ones(16), y, B=16)
    assert y._version == 0


def test_failed_launch_bumps_version() -> None:
    @blockdsl.jit
    def check(y):
        tl.store(y, 1.0)
        tl.device_assert(tl.load(y) == 2.0, "one")

    y = torch.zeros(16)
    with pytest.raises(KernelAssertionError, match="one"):
        check[(1,)](y)
    assert y._version == 1


@blockdsl.jit
def fail_beside(x, y):
    tl.store(x, 0.0)
    tl.store(y, 0.0)
    tl.device_assert(tl.load(x) == 2.0, "stored")


def test_failed_launch_with_tensors_of_many_types() -> None:
    """The launcher classifies some types anew after the kernel, because its table of types has few entries."""
    for _ in range(500):
        x = torch.zeros(16).as_subclass(type("Derived", (torch.Tensor,), {}))
        with pytest.raises(KernelAssertionError, match="stored"):
            fail_beside[(1,)](x, torch.zeros(16))


class Pointer:
    """A view of a tensor whose attributes are computed."""

    dtype = torch.float32

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensors = [tensor]

    def data_ptr(self) -> int:
        return self.base.data_ptr()

    @property
    def base(self) -> torch.Tensor:
        return next(iter(self._tensors))


def test_failed_launch_with_a_computed_base() -> None:
    x = torch.zeros(16)
    with pytest.raises(KernelAssertionError, match="stored"):
        fail_beside[(1,)](Pointer(x), torch.zeros(16))
    assert x._version == 1


def test_tensors_without_version_counter() -> None:
    kernel = blockdsl.jit(double)
    with torch.inference_mode():
        y = torch.zeros(16)
    for out in (y, np.zeros(16, np.float32), torch.zeros(16).numpy()):
        kernel[(1,)](torch.ones(16), out, B=16)
        assert out[3] == 2
    with torch.inference_mode():
        kernel[(1,)](torch.ones(16), y, B=16)


DOUBLE = blockdsl.jit(double)


class Doubled(torch.autograd.Function):
    """Saves its output, which a launch has filled, and returns a gradient that launches fill."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        DOUBLE[(1,)](x, out, B=16)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (out,) = ctx.saved_tensors
        result = torch.empty_like(out)
        DOUBLE[(1,)](grad.contiguous(), result, B=16)
        return result


def test_functions_of_autograd() -> None:
    x = torch.arange(16.0, requires_grad=True)
    for compile in (False, True):  # noqa: A001
        x.grad = None
        function = torch.compile(Doubled.apply, fullgraph=True) if compile else Doubled.apply
        function(x).square().sum().backward()
        assert torch.equal(x.grad, 8 * torch.arange(16.0))


def test_a_compiled_graph_that_stores_through_an_input() -> None:
    kernel = blockdsl.jit(double)

    @torch.compile(fullgraph=True)
    def fill(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        kernel[(1,)](x, y, B=16)
        return y + 1

    w = torch.ones(16, requires_grad=True)
    saved = w * 2
    loss = (saved * saved).sum()
    assert torch.equal(fill(torch.ones(16), saved.detach()), torch.full((16,), 3.0))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


WITHOUT_OFFSETS = """
import sys
sys.path.insert(0, {path!r})
from blockdsl.launcher import torch_fields
torch_fields.layout = lambda: ()
import test_version_counters as tests
for launch in tests.WAYS:
    tests.test_stored_tensors_bump_version(launch)
tests.test_failed_launch_bumps_version()
tests.test_tensors_without_version_counter()
print("done")
"""


def test_falls_back_to_torch_without_known_offsets() -> None:
    path = __file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", WITHOUT_OFFSETS.format(path=path)], capture_output=True, text=True,
                          timeout=300)  # fmt: skip
    assert done.stdout == "done\n", done.stderr
