"""The language's tests run every kernel both compiled and interpreted; with ``--device cuda``, on the GPU.

For compiled kernels, tensors are in guarded memory: once next to the page after them, once next to the page before.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run
from stock import interpreted

import compile_for_gpus
from blockdsl import interpreter
from blockdsl.backends import nvidia
from blockdsl.errors import BlockdslError
from guarded import Guarded


class Moved:
    """Copies of arguments in other memory: tensors that share memory share it in the copies, too."""

    def __init__(self) -> None:
        # For the address of each storage: the storage, and its copy.
        self.storages: dict[int, tuple[torch.Tensor, Any]] = {}

    def place(self, here: torch.Tensor) -> Any:
        """Returns a copy of a storage's bytes."""
        raise NotImplementedError

    def empty(self, dtype: torch.dtype) -> torch.Tensor:
        """Returns a tensor without elements, on the device of the copies."""
        raise NotImplementedError

    def moved(self, value: Any) -> Any:
        if hasattr(value, "block_shape"):
            descriptor = copy.copy(value)
            descriptor.base = self.moved(value.base)
            return descriptor
        if not isinstance(value, torch.Tensor) or not value.untyped_storage().nbytes():
            return value
        storage = value.untyped_storage()
        if storage.data_ptr() not in self.storages:
            here = torch.empty(0, dtype=torch.uint8).set_(storage)
            self.storages[storage.data_ptr()] = here, self.place(here)
        there = self.storages[storage.data_ptr()][1].untyped_storage()
        return self.empty(value.dtype).set_(there, value.storage_offset(), value.size(), value.stride())


class OnGuardedPages(Moved):
    """Copies in memory where an access out of bounds crashes or is detected."""

    def __init__(self, *, at_end: bool) -> None:
        super().__init__()
        self.at_end = at_end
        self.guards: list[Guarded] = []

    def place(self, here: torch.Tensor) -> torch.Tensor:
        self.guards.append(Guarded(here.numpy(), at_end=self.at_end))
        guard = self.guards[-1]
        return torch.frombuffer(guard.map, dtype=torch.uint8, count=guard.array.size, offset=guard.offset)

    def empty(self, dtype: torch.dtype) -> torch.Tensor:
        return torch.empty(0, dtype=dtype)


def stored_bytes(kernel: Any, grid: Any, args: Any, kwargs: Any) -> dict[int, Any]:
    """Returns the bytes of each storage that the programs store to, by the interpreter."""
    copies = OnGuardedPages(at_end=True)
    given = [copies.moved(value) for value in args]
    named = {name: copies.moved(value) for name, value in kwargs.items()}
    names = [parameter.name for parameter in kernel.source.parameters]
    mode = interpreter.run(kernel.source, {**dict(zip(names, given, strict=False)), **named}, grid, Recording)
    assert isinstance(mode, Recording)
    return {
        address: mode.memory.stored.get(there.untyped_storage().data_ptr(), np.zeros(here.numel(), bool))
        for address, (here, there) in copies.storages.items()
    }


class RecordingMemory(interpreter.Memory):
    """Memory that records stores."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: dict[int, Any] = {}

    def store(self, addresses: Any, active: Any, values: Any) -> None:
        super().store(addresses, active, values)
        for segment, chosen in self._split("store", addresses, active, values.dtype):
            marks = self.stored.setdefault(segment.start, np.zeros(segment.bytes.size, bool))
            marks[segment.byte_indices(addresses[chosen], values.dtype)] = True


class Recording(interpreter.Interpreter):
    """The interpreter with recording memory."""

    def __init__(self, grid: tuple[int, int, int]) -> None:
        super().__init__(grid)
        self.memory: RecordingMemory = RecordingMemory()


def compiled_in_place(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
    """Without copies, because the tensors' addresses are data of the kernel."""
    kernel[grid](*args, **kwargs)


def compiled(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
    stored = stored_bytes(kernel, grid, args, kwargs)
    for at_end in (False, True):
        pages = OnGuardedPages(at_end=at_end)
        kernel[grid](*map(pages.moved, args), **{name: pages.moved(value) for name, value in kwargs.items()})
        for guard in pages.guards:
            guard.check()
        for address, (here, there) in pages.storages.items():
            changed = (here != there).numpy() & ~stored[address]
            assert not changed.any(), f"byte {changed.argmax()} of a tensor is not stored to, and was changed"
    for here, there in pages.storages.values():
        here.copy_(there)


class OnGPU(Moved):
    """Copies in the GPU's memory."""

    def place(self, here: torch.Tensor) -> torch.Tensor:
        return here.cuda()

    def empty(self, dtype: torch.dtype) -> torch.Tensor:
        return torch.empty(0, dtype=dtype, device="cuda")

    def back(self) -> None:
        torch.cuda.synchronize()
        for here, there in self.storages.values():
            here.copy_(there)


def on_gpu(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
    gpu = OnGPU()
    kernel[grid](*map(gpu.moved, args), **{name: gpu.moved(value) for name, value in kwargs.items()})
    gpu.back()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """On a GPU, kernels that its version of Triton is known not to compile have to be refused."""
    try:
        return (yield)
    except BlockdslError as error:
        if item.config.getoption("--device") == "cpu" or not compile_for_gpus.is_expected(
            error, nvidia.toolchain().version
        ):
            raise


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "run" in metafunc.fixturenames:
        ways = [on_gpu] if metafunc.config.getoption("--device") == "cuda" else [interpreted, compiled]
        metafunc.parametrize("run", ways, ids=[way.__name__ for way in ways], indirect=True)


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Run:
    """Returns ``run(kernel, grid, *args, **constexprs)`` for the mode of the test."""
    way: Run = request.param
    return compiled_in_place if way is compiled and request.node.get_closest_marker("addresses") else way
