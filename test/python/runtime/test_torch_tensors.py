"""Tests of torch's tensors that are refused for properties outside of DLPack, at first and later launches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.errors import LaunchError
from blockdsl.launcher import torch_fields
from blockdsl.tools.tensor_descriptor import TensorDescriptor


def copy(x, y, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(y + at, tl.load(x + at))


def copy_of_pair(pair, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(pair[1] + at, tl.load(pair[0] + at))


def copy_described(x, y, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), x.load([0]))


def described(x: Any) -> TensorDescriptor:
    descriptor = TensorDescriptor(torch.arange(16.0), [16], [1], [16])
    descriptor.base = x
    return descriptor


Launch = Callable[[Any, torch.Tensor], object]


def single() -> Launch:
    kernel = blockdsl.jit(copy)
    return lambda x, y: kernel[(1,)](x, y, B=16)


def by_run() -> Launch:
    kernel = blockdsl.jit(copy)
    return lambda x, y: kernel.run(x, y, B=16, grid=(1,), warmup=False)


def in_tuple() -> Launch:
    kernel = blockdsl.jit(copy_of_pair)
    return lambda x, y: kernel[(1,)]((x, y), B=16)


def in_descriptor() -> Launch:
    kernel = blockdsl.jit(copy_described)
    return lambda x, y: kernel[(1,)](described(x), y, B=16)


def compiled() -> Launch:
    kernel = blockdsl.jit(copy).warmup(torch.float32, torch.float32, B=16, grid=(1,))
    return lambda x, y: kernel[(1,)](x, y)


WAYS = [single, by_run, in_tuple, in_descriptor, compiled]


def shrunk(size: int, first: int = 0) -> torch.Tensor:
    """Returns 16 floats of a storage that has shrunk to ``size`` bytes."""
    x = torch.arange(32.0)[first : first + 16]
    x.untyped_storage().resize_(size)
    return x


class Intercepting(torch.Tensor):
    """A tensor all of whose attributes raise errors."""

    @classmethod
    def __torch_function__(cls, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError(f"{function} was called")


def negated() -> torch.Tensor:
    return torch._neg_view(torch.arange(16.0))


LAZY = r"is an Uninitialized(Parameter|Buffer), which has no shape and no elements yet; expected a tensor in CPU"
NEGATED = "is the negative of what lies in its memory, expected a tensor whose elements are there"

REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: torch.nn.LazyLinear(16).weight, LAZY),
    (lambda: torch.nn.LazyBatchNorm1d().running_mean, LAZY),
    (lambda: shrunk(0), "has elements and no memory for them"),
    (lambda: shrunk(63), "spans more than its storage, which has been resized to 63 bytes"),
    (lambda: shrunk(124, 16), "spans more than its storage, which has been resized to 124 bytes"),
    (lambda: shrunk(32).as_subclass(Intercepting), "spans more than its storage, which has been resized to 32 bytes"),
    (lambda: blockdsl.reinterpret(shrunk(32), tl.float32), "spans more than its storage"),
    (lambda: blockdsl.reinterpret(shrunk(0), tl.float32), "has elements and no memory for them"),
    (negated, NEGATED),
    (lambda: torch._neg_view(torch.arange(32.0))[5:21], NEGATED),
    (lambda: negated().detach(), NEGATED),
    (lambda: torch.nn.Parameter(negated()), NEGATED),
    (lambda: negated().as_subclass(Intercepting), NEGATED),
    (lambda: torch.view_as_complex(torch.ones(16, 2)).conj().imag.as_strided((16,), (1,)), NEGATED),
    (lambda: blockdsl.reinterpret(negated(), tl.float32), NEGATED),
    (lambda: torch.ones(16, device="meta"), "'meta'|Cannot pack tensors on meta"),
    (lambda: torch.ones(16).to_sparse(), "gives no access to its memory|describes no array"),
    (lambda: torch.ones(16).to_mkldnn(), "gives no access to its memory|describes no array"),
    (lambda: torch._to_functional_tensor(torch.ones(16)), "has elements and no memory for them"),
    (lambda: torch.ones(16, dtype=torch.complex64).conj(), "has dtype torch.complex64"),
]


WHOLE = [
    (lambda: shrunk(63), "argument 'x' of kernel 'copy', Tensor(16, torch.float32), spans more than its storage, which "
                         "has been resized to 63 bytes"),
    (lambda: torch.nn.LazyLinear(16).weight, "argument 'x' of kernel 'copy' is an UninitializedParameter, which has no "
                                             "shape and no elements yet; expected a tensor in CPU or CUDA memory"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), WHOLE)
def test_full_messages(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(LaunchError) as got:
        single()(make(), torch.zeros(16))
    assert got.value.message == message


@pytest.mark.parametrize("make_launch", WAYS)
def test_refused_on_first_and_cached_launch(make_launch: Callable[[], Launch]) -> None:
    y, warm = torch.zeros(16), make_launch()
    warm(torch.arange(16.0), y)
    assert y[3] == 3
    for make, message in REFUSED:
        for launch in (make_launch(), warm):
            y.zero_()
            with pytest.raises(LaunchError, match=message):
                launch(make(), y)
            assert not y.any()


def test_a_lazy_parameter_gets_its_shape() -> None:
    module, y = torch.nn.LazyLinear(4), torch.zeros(16)
    launch = single()
    with pytest.raises(LaunchError) as caught:
        launch(module.weight, y)
    assert caught.value.hint == "call its module once before, which gives it a shape, or its method materialize(shape)"
    module(torch.ones(1, 4))
    launch(module.weight, y)
    assert torch.equal(y, module.weight.flatten())


PLAIN: list[Callable[[], Any]] = [
    lambda: torch.arange(16.0),
    lambda: torch.nn.Parameter(torch.arange(16.0)),
    lambda: shrunk(64),
    lambda: shrunk(124, 15),
    lambda: torch.arange(16.0).as_subclass(Intercepting),
    lambda: torch._neg_view(negated()),
    lambda: negated().resolve_neg(),
    lambda: torch.view_as_complex(torch.ones(16, 2)).conj().real,
    lambda: torch.arange(32.0).flip(0).flip(0)[::2],
    lambda: torch.from_numpy(torch.arange(16.0).numpy()),
    lambda: torch.arange(16.0).share_memory_(),
    lambda: torch.frombuffer(bytearray(64), dtype=torch.float32),
    lambda: torch._lazy_clone(torch.arange(16.0)),
    lambda: torch.ones(1).expand(16),
    lambda: torch.ones(32).untyped_storage(),
    lambda: torch.empty(0),
]


def test_tensors_with_memory_are_accepted() -> None:
    for at, make in enumerate(PLAIN):
        x = make()
        if isinstance(x, torch.UntypedStorage):
            x = torch.empty(0).set_(x, 4, (16,), (1,))
        assert _runtime.read_attributes(x) is not None, at
    with torch.inference_mode():
        assert _runtime.read_attributes(torch.ones(16)) is not None
        assert _runtime.read_attributes(torch._neg_view(torch.ones(16))) is None


def test_offsets_match_torch() -> None:
    offsets = torch_fields.layout()
    assert offsets
    assert len(set(offsets[1:3])) == len(set(offsets[3:5])) == 2
    assert torch_fields.of(torch.ones(3))[2] == 12
    assert torch_fields.of(torch.ones(3).to_sparse())[2] == -1
    # Tensors that are created while a mode is active are fake, or are recorded.
    with torch._subclasses.FakeTensorMode():
        assert torch_fields.layout() is None
    assert torch.func.vmap(lambda x: x + (torch_fields.layout() is None))(torch.zeros(2)).tolist() == [1, 1]


WITHOUT_OFFSETS = """
import sys, torch
sys.path.insert(0, {path!r})
from blockdsl.launcher import torch_fields
torch_fields.layout = lambda: ()
import test_torch_tensors as tests
tests.test_refused_on_first_and_cached_launch(tests.single)
tests.test_refused_on_first_and_cached_launch(tests.in_tuple)
tests.test_tensors_with_memory_are_accepted()
print("done")
"""


def test_falls_back_to_torch_without_known_offsets() -> None:
    path = __file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", WITHOUT_OFFSETS.format(path=path)], capture_output=True, text=True,
                          timeout=300)  # fmt: skip
    assert done.stdout == "done\n", done.stderr
