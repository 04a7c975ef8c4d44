"""The language's tests run every kernel both compiled and interpreted; with ``--device cuda``, on the GPU."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from reference_checks import Run

from blockdsl import interpreter


def compiled(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
    kernel[grid](*args, **kwargs)


def interpreted(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
    names = [parameter.name for parameter in kernel.source.parameters]
    interpreter.run(kernel.source, {**dict(zip(names, args, strict=False)), **kwargs}, grid)


class OnGPU:
    """Launches on copies of the arguments in the GPU's memory, and copies the memory back."""

    def __init__(self) -> None:
        self._storages: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def moved(self, value: Any) -> Any:
        """Tensors that share memory share it on the GPU too."""
        if hasattr(value, "block_shape"):
            descriptor = copy.copy(value)
            descriptor.base = self.moved(value.base)
            return descriptor
        if not isinstance(value, torch.Tensor):
            return value
        storage = value.untyped_storage()
        if storage.data_ptr() not in self._storages:
            here = torch.empty(0, dtype=torch.uint8).set_(storage)
            self._storages[storage.data_ptr()] = here, here.cuda()
        there = self._storages[storage.data_ptr()][1].untyped_storage()
        empty = torch.empty(0, dtype=value.dtype, device="cuda")
        return empty.set_(there, value.storage_offset(), value.size(), value.stride())

    def back(self) -> None:
        torch.cuda.synchronize()
        for here, there in self._storages.values():
            here.copy_(there)


def on_gpu(kernel: Any, grid: Any, *args: Any, **kwargs: Any) -> None:
    gpu = OnGPU()
    kernel[grid](*map(gpu.moved, args), **{name: gpu.moved(value) for name, value in kwargs.items()})
    gpu.back()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "run" in metafunc.fixturenames:
        ways = [on_gpu] if metafunc.config.getoption("--device") == "cuda" else [interpreted, compiled]
        metafunc.parametrize("run", ways, ids=[way.__name__ for way in ways], indirect=True)


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Run:
    """``run(kernel, grid, *args, **constexprs)`` in the way that the test is run for."""
    way: Run = request.param
    return way
