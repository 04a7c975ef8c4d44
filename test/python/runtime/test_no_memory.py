"""Tests of refused launches with tensors that have no memory, or whose memory does not contain their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from handwritten import make_add
from torch._subclasses import FakeTensorMode

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.errors import LaunchError
from blockdsl.tools.tensor_descriptor import TensorDescriptor

ADD = make_add()


class Wrapper(torch.Tensor):
    """A tensor with another tensor's shape, which it holds."""

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(str(function))


def fake(size: int = 64) -> torch.Tensor:
    with FakeTensorMode():
        return torch.ones(size)


def freed(size: int, first: int) -> torch.Tensor:
    x = torch.ones(size)[first:]
    x.untyped_storage().resize_(0)
    return x


def negated() -> torch.Tensor:
    return torch.complex(torch.ones(64), torch.ones(64)).conj().imag


Make = Callable[[], object]

TRACED = "it only stands for a tensor while a program is traced; pass its element type instead"
FREED = "its storage has been freed, or was never allocated; allocate it, or pass x.clone()"

WITHOUT: list[tuple[Make, str, str]] = [
    (lambda: Wrapper(torch.ones(64)), "Wrapper(64, torch.float32)",
     "it wraps other tensors; pass the one that x computes with"),
    (lambda: freed(64, 0), "Tensor(64, torch.float32)", FREED),
    (lambda: freed(128, 64), "Tensor(64, torch.float32)", FREED),
    # The address of the view is in the range of a program's.
    (lambda: freed(1 << 23, (1 << 23) - 64), "Tensor(64, torch.float32)", FREED),
    (lambda: torch._efficientzerotensor(64), "Tensor(64, torch.float32)", FREED),
]  # fmt: skip


@pytest.mark.parametrize("case", WITHOUT, ids=range(len(WITHOUT)))
def test_elements_without_memory(case: tuple[Make, str, str]) -> None:
    make, description, hint = case
    x = make()
    with pytest.raises(LaunchError) as caught:
        ADD[(1,)](x, torch.ones(64), torch.ones(64), 64)
    assert caught.value.message == (
        f"argument 'x' of kernel 'add', {description}, has elements and no memory for them; "
        "expected a tensor in CPU or CUDA memory"
    )
    assert caught.value.hint == hint
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def test_fake_tensors() -> None:
    # A launch with it has no effect, as with torch's own operators.
    with torch._subclasses.FakeTensorMode():
        x = torch.ones(64)
        assert ADD[(1,)](x, x[10:], torch.ones(64), 54) is None
        compiled = ADD.warmup(torch.float32, torch.float32, torch.float32, 54, grid=(1,))
        with pytest.raises(LaunchError, match=r"argument 'x' of kernel 'add', FakeTensor\(54, .*\), has elements"):
            compiled[(1,)](x[10:], x, x, 54)
        with pytest.raises(LaunchError, match=r"argument 'x' of kernel 'add', FakeTensor\(54, .*\), has el") as caught:
            ADD.warmup(x[10:], x, x, 54, grid=(1,))
    assert caught.value.hint == TRACED


def test_tensor_of_a_descriptor() -> None:
    @blockdsl.jit
    def read(x):
        x.store([0], x.load([0]))

    descriptor = TensorDescriptor(torch.ones(64), [64], [1], [64])
    descriptor.base = freed(64, 0)
    with pytest.raises(LaunchError, match=r"argument 'x' of kernel 'read', .*, has elements and no memory for them"):
        read[(1,)](descriptor)


def test_an_element_of_a_tuple() -> None:
    @blockdsl.jit
    def read(pair):
        tl.store(pair[1], tl.load(pair[0]))

    with pytest.raises(LaunchError, match=r"argument 'pair\[1\]' of kernel 'read', Tensor\(64, torch.float32\), has"):
        read[(1,)]((torch.ones(64), freed(64, 0)))


TRANSFORMED = "a transformation of torch hides its memory; launch from a torch.library.custom_op"


@pytest.mark.parametrize("transform", ["vmap", "grad", "functionalize"])
def test_tensors_of_transformations(transform: str) -> None:
    def launch(x: torch.Tensor) -> torch.Tensor:
        ADD[(1,)](x, torch.ones(64), torch.ones(64), 64)
        return x.sum()

    given = torch.ones(2, 64) if transform == "vmap" else torch.ones(64)
    with pytest.raises(LaunchError, match=r"argument 'x' of kernel 'add', Tensor\(64, torch.float32\)") as caught:
        getattr(torch.func, transform)(launch)(given)
    assert caught.value.hint == TRANSFORMED


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_nested_tensor_is_named() -> None:
    nested = torch.nested.nested_tensor([torch.ones(64)])
    with pytest.raises(LaunchError, match="argument 'x' of kernel 'add', Tensor, gives no access to its memory"):
        ADD[(1,)](nested, torch.ones(64), torch.ones(64), 64)


EMPTY: list[Make] = [
    lambda: torch.empty(0),
    lambda: torch.ones(64)[10:10],
    lambda: freed(0, 0),
    lambda: np.empty((0, 3), np.float32),
    lambda: torch.empty(3, 0, 5).transpose(0, 2),
]


@pytest.mark.parametrize("make", EMPTY, ids=range(len(EMPTY)))
def test_no_elements_need_no_memory(make: Make) -> None:
    x = make()
    ADD[(1,)](x, x, torch.ones(64), 0)


def test_a_negative_bit() -> None:
    with pytest.raises(LaunchError) as caught:
        ADD[(1,)](negated(), torch.ones(64), torch.ones(64), 64)
    assert caught.value.message == (
        "argument 'x' of kernel 'add', Tensor(64, torch.float32), is the negative of what lies in its memory, expected "
        "a tensor whose elements are there"
    )
    assert caught.value.hint == "pass x.resolve_neg()"
    for view in (negated()[3:4], negated()[5], negated().view(8, 8).T):
        assert _runtime.read_attributes(view) is None
    pairs = torch.ones(64, 2)
    for plain in (pairs[:, 1], pairs[3, 1], torch.ones(64)[1:], torch.complex(pairs, pairs).imag):
        assert _runtime.read_attributes(plain) is not None
    out = torch.zeros(64)
    ADD[(1,)](negated().resolve_neg(), torch.zeros(64), out, 64)
    assert out.tolist() == [-1.0] * 64


def test_a_masked_array() -> None:
    masked = np.ma.masked_array(np.ones(64, np.float32), mask=[True] * 64)
    with pytest.raises(LaunchError) as caught:
        ADD[(1,)](masked, torch.ones(64), torch.ones(64), 64)
    assert caught.value.message == (
        "argument 'x' of kernel 'add', MaskedArray(64, float32), has a mask, which a kernel does not see"
    )
    assert caught.value.hint == "pass x.data and its mask as two arguments, or x.filled()"
