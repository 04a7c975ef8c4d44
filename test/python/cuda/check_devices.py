"""Checks of the device of a launch: contexts, several devices, memory that several devices can access."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import stub
from stub import CUDA_HOST, CUDA_MANAGED, FIRST_CONTEXT, CapsuleTensor, make_add, operands, tensor

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.compiler.signature import Signature
from blockdsl.errors import LaunchError
from blockdsl.launcher.compiled_launcher import CUDALauncher


@pytest.fixture(autouse=True)
def fresh() -> None:
    stub.take()


def test_device_count_and_capability() -> None:
    assert _runtime.cuda_device_count() == 2
    assert _runtime.cuda_capability(1) == 90
    with pytest.raises(RuntimeError, match="no compute capability of CUDA device 7"):
        _runtime.cuda_capability(7)
    with pytest.raises(TypeError):
        _runtime.cuda_capability("0")


def test_a_kernel_is_loaded_once_a_device() -> None:
    add = make_add()
    for device in (0, 1, 0, 1):
        add[(1,)](*operands(device), 200)
    calls = stub.take()
    loads = [call["context"] for call in calls if call["call"] == "cuModuleLoadData"]
    assert loads == [FIRST_CONTEXT, FIRST_CONTEXT + 1]
    launched = [call["context"] for call in calls if call["call"] == "cuLaunchKernelEx"]
    assert launched == [FIRST_CONTEXT, FIRST_CONTEXT + 1] * 2
    assert [device for _, device, _ in add.compiled] == [0, 1]


def test_one_kernel_serves_several_devices() -> None:
    kernel = stub.StubKernel("add", [(0, "n")], ["*fp32"])

    @stub.stubbed
    def function(x): ...

    function._compile_cuda = lambda *_: kernel
    for device in (0, 1, 1, 0):
        assert function[(1,)](tensor(device=device)) is kernel
    calls = stub.take()
    contexts = {name: [call["context"] - FIRST_CONTEXT for call in calls if call["call"] == name]
                for name in ("cuModuleLoadData", "cuLaunchKernelEx")}  # fmt: skip
    assert contexts == {"cuModuleLoadData": [0, 1], "cuLaunchKernelEx": [0, 1, 1, 0]}


@pytest.mark.parametrize("entered", [None, 0, 1])
def test_the_current_context_is_put_back(entered: int | None) -> None:
    add = make_add()
    if entered is not None:
        stub.enter(entered)
    before = stub.current()
    try:
        for device in (1, 0, 1):
            add[(1,)](*operands(device), 200)
            assert stub.current() == before
    finally:
        if entered is not None:
            stub.leave()
    assert [call["context"] - FIRST_CONTEXT for call in stub.launches()] == [1, 0, 1]


def test_current_context_is_kept() -> None:
    add = make_add()
    stub.enter(1)
    try:
        add[(1,)](*operands(1), 200)
        stub.take()
        add[(1,)](*operands(1), 200)
        assert [call["call"] for call in stub.take()] == ["cuLaunchKernelEx"]
    finally:
        stub.leave()


def test_streams_of_each_device() -> None:
    add = make_add()
    stub.set_stream(0, 0x10)
    stub.set_stream(1, 0x11)
    for device in (0, 1):
        add[(1,)](*operands(device), 200)
    stub.set_stream(0, 0)
    stub.set_stream(1, 0)
    assert [call["stream"] for call in stub.launches()] == [0x10, 0x11]


@blockdsl.jit
def increment(x, n):
    at = tl.arange(0, 64)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


HOST = np.zeros(64, dtype=np.float32)

MIXED = [
    (lambda: (tensor(), tensor(device=1), tensor()),
     "argument 'y' of kernel 'add' is on device 'cuda:1', and argument 'x' is on 'cuda:0'; expected all tensors on one "
     "device", "pass y.to('cuda:0')"),
    (lambda: (tensor(device=1), tensor(device=1), CapsuleTensor()),
     "argument 'out' of kernel 'add' is on device 'cuda:0', and argument 'x' is on 'cuda:1'", "pass out.to('cuda:1')"),
    (lambda: (HOST, tensor(device=1), tensor(device=1)),
     "argument 'x' of kernel 'add' is on device 'cpu', and argument 'y' is on 'cuda:1'", "x.pin_memory()"),
    (lambda: (tensor(), tensor(), CapsuleTensor(0x7F00_00F0_0000, kind=CUDA_HOST)),
     "argument 'out' of kernel 'add' is on device 'cpu', and argument 'x' is on 'cuda:0'", "out.pin_memory()"),
    (lambda: (tensor(kind=CUDA_MANAGED), HOST, tensor(kind=CUDA_MANAGED)),
     "argument 'y' of kernel 'add' is on device 'cpu', and argument 'x' is on 'cuda:0'", "pass y.to('cuda:0')"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message", "hint"), MIXED, ids=[str(index) for index in range(len(MIXED))])
def test_tensors_of_several_devices_are_refused(arguments, message: str, hint: str) -> None:  # type: ignore[no-untyped-def]
    add = make_add()
    add[(1,)](*operands(), 200)
    stub.take()
    with pytest.raises(LaunchError) as caught:
        add[(1,)](*arguments(), 200)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")
    assert caught.value.location is not None and caught.value.location.file == __file__
    assert stub.launches() == []
    assert len(add.compiled) == 1


@pytest.mark.parametrize("kind", [CUDA_HOST, 1])
def test_pinned_memory_follows_other_arguments(kind: int) -> None:
    add = make_add()
    stub.pin(0x7F00_5000_0010)
    x, _, out = operands()
    for make in (tensor, CapsuleTensor):
        add[(1,)](x, make(0x7F00_5000_0010, kind=kind), out, 200)
        (call,) = stub.launches()
        assert call["parameters"][1] == (0x7F00_5000_0010).to_bytes(8, "little").hex()
    assert len(add.compiled) == 1


def test_large_pinned_memory_makes_no_variants() -> None:
    """Aliases and footprints matter on the CPU only."""
    big = np.zeros(16 << 20, dtype=np.uint8)
    stub.pin(big.ctypes.data)
    add = make_add()
    for _ in range(2):
        add[(1,)](tensor(0xA00000), big, big, 200)
    assert len(add.compiled) == 1


def test_managed_memory_follows_other_arguments() -> None:
    add = make_add()
    managed = tensor(0xB00000, device=0, kind=CUDA_MANAGED)
    add[(1,)](managed, tensor(device=1), tensor(device=1), 200)
    add[(1,)](managed, managed, managed, 200)
    assert [call["context"] - FIRST_CONTEXT for call in stub.launches()] == [1, 0]


def test_an_empty_tensor_of_the_host_is_reached() -> None:
    add = make_add()
    x, _, out = operands()
    add[(1,)](x, tensor(0, kind=1), out, 200)
    (call,) = stub.launches()
    assert call["parameters"][1] == "00" * 8


def test_missing_device() -> None:
    with pytest.raises(LaunchError, match="on device 'cuda:5' was not launched: cuDeviceGetAttribute says"):
        make_add()[(1,)](*operands(5), 200)
    for device in (-1, 64, 2**16):
        with pytest.raises(LaunchError, match="expected a tensor in CPU or CUDA memory"):
            make_add()[(1,)](*operands(device), 200)


def test_threads_have_no_context_at_first() -> None:
    add = make_add()
    stub.enter(0)
    add[(1,)](*operands(), 200)
    thread = threading.Thread(target=lambda: add[(1,)](*operands(), 200))
    thread.start()
    thread.join()
    stub.leave()
    first, second = stub.launches()
    assert first["context"] == second["context"]
    assert first["thread"] != second["thread"]


def test_a_cpu_kernel_for_a_gpu_is_a_defect() -> None:

    @stub.stubbed
    def function(x): ...

    kernel = stub.StubKernel("add", [(0, "n")], ["*fp32"])
    function._compile = lambda *_: kernel
    with pytest.raises(TypeError, match="did not return a kernel for the device"):
        function[(1,)](HOST)
    function[(1,)](tensor())


class Ahead(stub.StubKernel):
    """A kernel that is compiled already, for GPUs of one capability."""

    def __init__(self, capability: int) -> None:
        super().__init__("ahead", [(0, "n"), (1, "n")], ["*fp32", "i32"])
        self.name = "ahead"
        self.signature = Signature(("x", "n"), {"x": "*fp32", "n": "i32"}, {"x": 16})
        self.capability = capability
        self.asked: list[int] = []

    def ready(self, device: int) -> Ahead:
        self.asked.append(device)
        return self


def test_a_kernel_compiled_ahead_runs_on_gpus_of_its_capability() -> None:
    kernel = Ahead(90)
    launcher = CUDALauncher(kernel)
    for device in (0, 1):
        assert launcher[(2,)](tensor(device=device), 5) is kernel
    assert [call["context"] - FIRST_CONTEXT for call in stub.launches()] == [0, 1]
    # Hooks of its loading are called on each of them, once.
    assert kernel.asked == [0, 1]
    launcher[(2,)](tensor(device=1), 5)
    assert kernel.asked == [0, 1]
    with pytest.raises(LaunchError, match=r"'x' of kernel 'ahead' has dtype .* but the kernel is compiled for '.fp32'"):
        launcher[(2,)](tensor(dtype="fp16"), 5)
    with pytest.raises(LaunchError, match="an address divisible by 16"):
        launcher[(2,)](tensor(0xA00004), 5)


def test_the_stream_that_a_launch_names() -> None:
    launch = CUDALauncher(Ahead(90))[(1,)]
    stub.set_stream(1, 0x11)
    for stream in (None, 0x77, 0):
        launch(tensor(device=1), 5, stream=stream)
    run = _runtime.TritonLaunch(((True, True),))
    for stream in (None, 0x77, 0):
        run(2, 1, 1, stream, CUDALauncher(Ahead(90)), None, None, None, None, tensor(device=1), 5)
    stub.set_stream(1, 0)
    assert [call["stream"] for call in stub.launches()] == 2 * [0x11, 0x77, 0]
    with pytest.raises(LaunchError) as caught:
        launch(tensor(device=1), 5, stream="main")
    assert caught.value.message == (
        "kernel 'ahead' is launched on stream 'main', expected the number of a stream of CUDA's"
    )
    assert caught.value.hint == "torch.cuda.Stream has it as cuda_stream"
    assert stub.launches() == []


def test_a_kernel_compiled_ahead_for_other_devices() -> None:
    with pytest.raises(LaunchError) as caught:
        CUDALauncher(Ahead(90))[(2,)](HOST, 5)
    assert caught.value.message == (
        "kernel 'ahead' is compiled for GPUs of compute capability 9.0, and its arguments are on the CPU"
    )
    with pytest.raises(LaunchError, match=r"capability 8\.6, .* are on device 'cuda:1' of capability 9\.0"):
        CUDALauncher(Ahead(86))[(2,)](tensor(device=1), 5)
    compiled = increment[(1,)](np.zeros(64, dtype=np.float32), 64)
    with pytest.raises(LaunchError, match=r"'increment' is compiled for the CPU, .* are on device 'cuda:1'"):
        compiled[(1,)](tensor(device=1), 64)
    assert stub.launches() == []
