"""Tests of launches outside of a graph in a compiled function: Dynamo traces none of the frames below."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
from torch._dynamo.utils import counters
from torch.testing import assert_close
from triton.tools.tensor_descriptor import TensorDescriptor

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.interpreted import InterpretedFunction


def incremented(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(x_ptr + at, x + 1, mask=at < n)


@triton.jit
def described(x):
    x.store([0, 0], x.load([0, 0]) + 1)


KERNELS: dict[str, Callable[[], Any]] = {
    "compiled": lambda: blockdsl.jit(incremented),
    "tuned": lambda: blockdsl.autotune(
        [blockdsl.Config({"BLOCK": 64}), blockdsl.Config({"BLOCK": 128})], key=["n"], restore_value=["x_ptr"]
    )(blockdsl.jit(incremented)),
    "interpreted": lambda: InterpretedFunction(incremented),
}


def frames(function: Callable[[torch.Tensor], torch.Tensor]) -> int:
    """Returns the number of frames that Dynamo traces while a function with torch's operations and a launch runs."""
    torch._dynamo.reset()
    counters.clear()
    x = torch.randn(25, 4)
    assert_close(torch.compile(function, backend="eager")(x), x.sin() + 1)
    return int(counters["frames"]["total"])


@pytest.mark.parametrize("name", KERNELS)
def test_a_launch_outside_of_a_graph(name: str) -> None:
    kernel, table = KERNELS[name](), {}

    def function(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        # A graph has neither files nor kernels that are looked up by their names.
        with open(os.devnull) as file:
            table[file.name] = kernel
            table[file.name][(2,)](y, 100, **({} if name == "tuned" else {"BLOCK": 128}))
        return y

    assert frames(function) < 10


def test_a_launch_that_torch_cannot_put_into_a_graph() -> None:
    # Without a GPU that supports descriptors, torch does not record them.
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        described[(1,)](TensorDescriptor.from_tensor(y, [32, 4]))
        return y

    with blockdsl.triton.activate():
        assert frames(function) < 15


def test_errors_propagate_and_dynamo_stays_enabled() -> None:
    from torch._C._dynamo import eval_frame

    seen = []

    def failing(value: int) -> None:
        seen.append(eval_frame.set_eval_frame(None))
        raise ValueError(value)

    before = eval_frame.set_eval_frame(False)
    try:
        with pytest.raises(ValueError, match="7"):
            _runtime.untraced(failing, value=7)
        with pytest.raises(TypeError, match="untraced takes a function"):
            _runtime.untraced()  # type: ignore[call-arg]
    finally:
        assert eval_frame.set_eval_frame(before) is False
    assert seen == [None]
