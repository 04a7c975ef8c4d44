"""Tests of the CPU beside a GPU with a mock driver: which driver handles which request."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton
from triton.backends import backends
from triton.runtime import _async_compile, driver

import blockdsl
from blockdsl.triton import active_driver
from blockdsl_triton.driver import CPUDriver


class Asked(Exception):
    """A method of the GPU's driver was called."""


class OtherUtilities:
    launch = "the other's launch"

    def load_binary(self, *args: Any) -> Any:
        raise Asked("load_binary")

    def unload_module(self, module: Any) -> None:
        raise Asked("unload_module")

    def get_device_properties(self, device: Any) -> Any:
        return {"of": device}


class OtherDriver:
    utils = OtherUtilities()
    stream_of_torch = "the other's stream"

    @classmethod
    def is_active(cls) -> bool:
        return True

    def launcher_cls(self, source: Any, metadata: Any) -> Any:
        return "the other's launcher"

    def get_current_device(self) -> int:
        return 3

    def get_current_stream(self, device: Any) -> Any:
        raise Asked("get_current_stream")

    def get_current_target(self) -> Any:
        return triton.backends.compiler.GPUTarget("cuda", 90, 32)

    def allocate_default_profile_scratch(self, size: int, alignment: int, stream: Any) -> Any:
        raise Asked("allocate_default_profile_scratch")


@pytest.fixture(autouse=True)
def beside_another(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A GPU's driver is active."""
    monkeypatch.setitem(backends, "nvidia", triton.backends.Backend(backends["nvidia"].compiler, OtherDriver))
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    before = driver._active, driver._default
    driver._active, driver._default = OtherDriver(), None
    yield driver._active
    driver._active, driver._default = before


class OnTheGPU:
    dtype = torch.float32
    device = torch.device("cuda", 3)

    def data_ptr(self) -> int:
        return 4096


def test_other_driver_is_default_without_a_request() -> None:
    # As Inductor does.
    driver.set_active(CPUDriver())
    assert driver.active.get_current_device() == 3
    assert driver.active.get_current_target().backend == "cuda"
    assert driver.active.stream_of_torch == "the other's stream"
    assert driver.active.utils.launch == "the other's launch"
    assert driver.active.utils.get_device_properties(3) == {"of": 3}
    with pytest.raises(Asked):
        driver.active.allocate_default_profile_scratch(1, 1, None)
    with pytest.raises(Asked):
        stock.add[(1,)](OnTheGPU(), OnTheGPU(), OnTheGPU(), 4, BLOCK=4)


def test_queries_use_the_other_active_driver(beside_another: Any) -> None:
    make_other = active_driver.other_driver()
    assert make_other is not None
    assert make_other() is beside_another


def test_cpu_only_calls_use_our_driver() -> None:
    driver.set_active(CPUDriver())
    target = triton.backends.compiler.GPUTarget("cpu", "", 32)
    pointers = dict.fromkeys(("x_ptr", "y_ptr", "out_ptr"), "*fp32")
    source = triton.compiler.ASTSource(stock.add, {**pointers, "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 512})
    kernel = triton.compile(source, target=target)
    x, y, out = torch.randn(3, 500)
    kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, y, out, 500, 512)
    assert torch.equal(out, x + y)
    theirs = SimpleNamespace(target=SimpleNamespace(backend="cuda"))
    assert driver.active.launcher_cls(None, theirs) == "the other's launcher"
    with pytest.raises(Asked):
        driver.active.utils.load_binary("add", b"\x7fELF", 0, 3)
    with pytest.raises(Asked):
        driver.active.utils.unload_module("a module of the other's")
    driver.active.utils.unload_module(kernel.module)
    assert driver.active.utils.get_device_properties("cpu")["warpSize"] == 1


def test_cpu_kernel_is_loaded_by_us_for_any_active_driver(beside_another: Any) -> None:
    source = triton.compiler.ASTSource(
        stock.softmax, {"out_ptr": "*fp32", "x_ptr": "*fp32", "columns": "i32", "BLOCK": "constexpr"}, {"BLOCK": 64}
    )
    kernel = triton.compile(source, target=triton.backends.compiler.GPUTarget("cpu", "", 32))
    kernel._init_handles()
    assert driver.active is beside_another
    x = torch.randn(3, 50)
    out = torch.empty_like(x)
    kernel.run(3, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, out, x, 50, 64)
    torch.testing.assert_close(out, x.softmax(1))
    # No other object unloads it.
    if hasattr(kernel, "__del__"):
        kernel.__del__()
        assert kernel.module is None


def test_requesting_the_cpu_keeps_both_drivers(beside_another: Any) -> None:
    x, y, out = torch.randn(3, 500)
    with blockdsl.triton.activate():
        assert driver.active.get_current_device() == "cpu"
        stock.add[(1,)](x, y, out, 500, BLOCK=512)
        assert torch.equal(out, x + y)
        # By tensors, also within tuples and descriptors.
        for gpu in (OnTheGPU(), (1, OnTheGPU()), SimpleNamespace(base=OnTheGPU())):
            with pytest.raises(Asked):
                stock.add[(1,)](gpu, y, out, 4, BLOCK=4)
        assert driver.active.get_current_device() == "cpu"
        stock.double[(1,)](x, out, 500)
        assert torch.equal(out, 2 * x)
    assert driver.active is beside_another


def test_other_threads_compile_for_the_launch_target(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def compiled(source: Any, target: Any, **_: Any) -> Any:
        # As a kernel does that reads its target.
        seen.extend((target.backend, driver.active.get_current_target().backend))
        raise Asked("compile")

    monkeypatch.setattr(triton.compiler, "compile", compiled)
    monkeypatch.setattr(OtherDriver, "get_current_stream", lambda self, device: 0)
    kernel = triton.jit(stock.add.fn)
    try:
        with (
            pytest.raises(Asked, match="compile"),
            blockdsl.triton.activate(),
            ThreadPoolExecutor(1) as pool,
            triton.AsyncCompileMode(pool),
        ):
            kernel[(1,)](OnTheGPU(), OnTheGPU(), OnTheGPU(), 4, BLOCK=4)
    finally:
        # Triton 3.6 does not leave the mode after a failed compilation.
        _async_compile.active_mode.set(None)
    assert seen == ["cuda", "cuda"]


def test_environment_requests_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "cpu")
    assert CPUDriver().get_current_device() == "cpu"


class FailingDriver(OtherDriver):
    """A driver that counts as active, but whose constructor fails: there is no C compiler, or no libcuda."""

    def __init__(self) -> None:
        raise AssertionError("libcuda.so cannot be found")


@pytest.fixture
def beside_one_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(backends, "nvidia", triton.backends.Backend(backends["nvidia"].compiler, FailingDriver))
    # Restored by the fixture above; monkeypatch would undo this after it.
    driver._active = driver._default = None


def check_beside_one_that_fails() -> None:
    x, y, out = torch.randn(3, 500)
    stock.add.device_caches.clear()
    stock.add[(1,)](x, y, out, 500, BLOCK=512)
    assert torch.equal(out, x + y)
    tuned = triton.autotune([triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 512})], key=["n"])(stock.add)
    total = torch.empty_like(x)
    tuned[lambda meta: (triton.cdiv(500, meta["BLOCK"]),)](x, out, total, 500)
    assert torch.equal(total, x + out)
    index = driver.active.get_active_torch_device().index
    assert driver.active.utils.get_device_properties(index)["warpSize"] == 1
    for _ in range(2):
        # Each launch that needs it raises the error.
        with pytest.raises(AssertionError, match="libcuda"):
            stock.add[(1,)](OnTheGPU(), y, out, 4, BLOCK=4)
    stock.add[(1,)](x, y, out, 500, BLOCK=512)
    assert torch.equal(out, x + y)


def test_cpu_works_beside_a_failing_driver(beside_one_that_fails: None) -> None:
    with blockdsl.triton.activate():
        check_beside_one_that_fails()


def test_environment_requests_the_cpu_beside_a_failing_driver(
    beside_one_that_fails: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "cpu")
    driver.set_active(CPUDriver())
    check_beside_one_that_fails()


def test_graph_is_compiled_beside_a_failing_driver(
    beside_one_that_fails: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "")
    x = torch.randn(100)
    torch._dynamo.reset()
    assert torch.equal(torch.compile(lambda x: x * 2 + 1, backend="blockdsl")(x), x * 2 + 1)
    # Inductor's compile workers request the CPU.
    assert os.environ["TRITON_DEFAULT_BACKEND"] == "cpu"
    with pytest.raises(AssertionError, match="libcuda"):
        stock.add[(1,)](OnTheGPU(), x, x, 4, BLOCK=4)
