"""Tests of refused arguments of stock kernels, at first launches and at later ones, which bypass Triton's binder."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def scale(x, y, factor, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(y + at, tl.load(x + at) * factor)


@triton.jit
def copy_of_pair(pair, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(pair[1] + at, tl.load(pair[0] + at))


@triton.jit
def copy_described(x, y, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), x.load([0]))


def forget() -> None:
    for kernel in (scale, copy_of_pair, copy_described):
        kernel.device_caches.clear()
        vars(kernel)["_shortcut"] = None


def described(x: Any) -> TensorDescriptor:
    descriptor = TensorDescriptor(torch.arange(16.0), [16], [1], [16])
    descriptor.base = x
    return descriptor


Launch = Callable[[Any, torch.Tensor], object]
WAYS: list[Launch] = [
    lambda x, y: scale[(1,)](x, y, 1, B=16),
    lambda x, y: scale.run(x, y, 1, B=16, grid=(1,), warmup=False),
    lambda x, y: copy_of_pair[(1,)]((x, y), B=16),
    lambda x, y: copy_described[(1,)](described(x), y, B=16),
]


def shrunk(size: int) -> torch.Tensor:
    x = torch.arange(16.0)
    x.untyped_storage().resize_(size)
    return x


class Intercepting(torch.Tensor):
    """A tensor all of whose attributes raise errors."""

    @classmethod
    def __torch_function__(cls, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError("not answered")


class Exported:
    """Memory that only DLPack describes."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.tensor.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self.tensor.__dlpack_device__()


REFUSED: list[Callable[[], Any]] = [
    lambda: torch.nn.LazyLinear(16).weight,
    lambda: torch.nn.LazyBatchNorm1d().running_mean,
    lambda: shrunk(0),
    lambda: shrunk(60),
    lambda: triton.reinterpret(shrunk(60), tl.float32),
    lambda: torch._neg_view(torch.arange(16.0)),
    lambda: torch.nn.Parameter(torch._neg_view(torch.arange(16.0))),
    lambda: triton.reinterpret(torch._neg_view(torch.arange(16.0)), tl.float32),
    lambda: torch.ones(16, device="meta"),
    lambda: torch.ones(16).to_sparse(),
    lambda: torch.ones(16).to_mkldnn(),
    lambda: torch._to_functional_tensor(torch.ones(16)),
    lambda: torch.ones(16, dtype=torch.complex64).conj(),
    lambda: torch.arange(16.0).as_subclass(Intercepting),
]


@pytest.mark.parametrize("launch", WAYS, ids=range(len(WAYS)))
def test_tensors_without_their_elements(launch: Launch) -> None:
    y = torch.zeros(16)

    def outcome(make: Callable[[], Any]) -> tuple[type, str]:
        y.zero_()
        # Some of Triton's errors are KeyErrors of its own.
        with pytest.raises(Exception) as caught:  # noqa: PT011
            launch(make(), y)
        assert not y.any()
        return caught.type, str(caught.value).partition("\n")[0]

    forget()
    cold = []
    for make in REFUSED:
        forget()
        cold.append(outcome(make))
    for _ in range(2):
        launch(torch.arange(16.0), y)
        launch(torch.nn.Parameter(torch.arange(16.0)), y)
    assert [outcome(make) for make in REFUSED] == cold
    assert cold[5][1].endswith("expected a tensor whose elements are there")


OTHERS: list[tuple[Callable[[], Any], object]] = [
    (lambda: np.arange(16, dtype=np.float32), 1),
    (lambda: array.array("f", range(16)), 1),
    (lambda: Exported(torch.arange(16.0)), 1),
    (lambda: torch.arange(16.0), np.int64(3)),
    (lambda: torch.arange(16.0), np.float32(3)),
    (lambda: torch.arange(16.0), np.bool_(True)),
]


def test_types_refused_by_triton() -> None:
    forget()
    x, y = torch.arange(16.0), torch.zeros(16)
    for _ in range(2):
        for factor in (1, 3, 3.0, True):
            scale[(1,)](x, y, factor, B=16)
    for make, number in OTHERS:
        with pytest.raises(TypeError, match="failed to specialize argument of type"):
            scale[(1,)](make(), y, number, B=16)
    # A NumPy float that is also a Python float.
    for _ in range(2):
        scale[(1,)](x, y, np.float64(3), B=16)
        assert torch.equal(y, 3 * x)
