"""Checks of faults: each call of the driver fails once, limits are reached; nothing leaks, the next launch works."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator

import pytest
import stub
from stub import CapsuleTensor, make_add, operands, tensor

from blockdsl.errors import LaunchError, OutOfResourcesError

# Devices that no launch has initialized yet, one a test.
unused = itertools.count(2)
stub.devices(64)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    stub.unload_the_dead()
    yield
    stub.forget_faults()


def check_books() -> None:
    """Only kernels that were loaded successfully remain."""
    assert stub.allocations() == 0
    assert stub.current() == 0
    assert stub.capture_mode() == 0


CALLS = ["cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuCtxGetCurrent", "cuCtxPushCurrent", "cuModuleLoadData",
         "cuModuleGetFunction", "cuFuncGetAttribute", "cuFuncSetAttribute", "cuFuncSetCacheConfig", "cuMemPoolCreate",
         "cuMemPoolSetAttribute", "cuMemAllocFromPoolAsync", "cuLaunchKernelEx"]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("before", [0, 1])
def test_any_call_may_fail(call: str, before: int) -> None:
    device = next(unused)
    add = make_add(global_scratch=(128, 128), profile_scratch=(16, 8), shared_bytes=100_000, num_ctas=16)
    stub.fail(call, 400, before)
    failed = []
    for _ in range(3):
        try:
            add[(2,)](*operands(device), 200)
        except LaunchError as error:
            failed.append(error.message)
            loaded = stub.modules()
            check_books()
    stub.forget_faults()
    expected = f"kernel 'add' on device 'cuda:{device}' was not launched: {call} says 'invalid resource handle'"
    once_a_device = {"cuDevicePrimaryCtxRetain", "cuModuleLoadData", "cuModuleGetFunction", "cuFuncSetCacheConfig",
                     "cuMemPoolCreate", "cuMemPoolSetAttribute"}  # fmt: skip
    assert failed == ([] if before and call in once_a_device else [expected])
    assert len(stub.launches()) == 3 - len(failed)
    check_books()
    if failed and call == "cuModuleGetFunction":
        assert stub.modules() == loaded + 1


def test_lost_context_and_bad_launch_have_distinct_errors() -> None:
    add = make_add()
    add[(1,)](*operands(), 200)
    stub.fail("cuLaunchKernelEx", 700)
    with pytest.raises(LaunchError) as caught:
        add[(1,)](*operands(), 200)
    assert caught.value.message == (
        "kernel 'add' on device 'cuda:0' was not launched, because an earlier kernel failed: an illegal memory access "
        "was encountered"
    )
    assert "CUDA_LAUNCH_BLOCKING" in (caught.value.hint or "")
    assert caught.value.location is not None and caught.value.location.file == __file__


def test_host_allocation_may_fail() -> None:
    x, y, out = operands()
    add = make_add()
    for call in ("cuCtxGetCurrent", "cuPointerGetAttribute"):
        stub.fail(call, 400)
        with pytest.raises(LaunchError, match=f"was not launched: {call} says 'invalid resource handle'"):
            add[(1,)](x, tensor(0x7F00_00B0_0000, kind=1), out, 200)
    stub.fail("cuPointerGetAttribute", 700)
    with pytest.raises(LaunchError, match="an earlier kernel failed"):
        add[(1,)](x, tensor(0x7F00_00B0_0000, kind=1), out, 200)
    check_books()
    add[(1,)](x, y, out, 200)


@pytest.mark.parametrize("result", [701, 720, 912])
def test_a_launch_that_is_too_large(result: int) -> None:
    """The autotuner drops a configuration with this error; any other error ends it."""
    stub.fail("cuLaunchKernelEx", result)
    with pytest.raises(OutOfResourcesError, match="was not launched: cuLaunchKernelEx says 'unknown error'"):
        make_add()[(1,)](*operands(), 200)


LIMITS = [
    ({"shared_bytes": 232449}, (1,), "needs 232449 bytes of shared memory a block, the device has at most 232448",
     "num_stages"),
    ({"shared_bytes": 232448, "static_shared": 16}, (1,), "needs 232464 bytes of shared memory a block", "num_stages"),
    ({"num_warps": 32, "most_threads": 640}, (1,),
     "is launched with 1024 threads a block, its registers leave room for at most 640", "maxnreg"),
    ({}, (1, 65536), "gets a grid of 65536 blocks in y, the device takes at most 65535", "the largest size"),
    ({}, (1, 1, 70000), "gets a grid of 70000 blocks in z, the device takes at most 65535", "the largest size"),
    ({"num_ctas": 2}, (2**30,), "gets a grid of 2147483648 blocks in x, the device takes at most 2147483647", "more"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "grid", "message", "hint"), LIMITS, ids=[str(i) for i in range(len(LIMITS))])
def test_limits_of_the_device(options: dict[str, int], grid: tuple[int, ...], message: str, hint: str) -> None:
    before = stub.modules()
    add = make_add(**options)
    for _ in range(2):
        with pytest.raises(LaunchError) as caught:
            add[grid](*operands(), 200)
        assert f"kernel 'add' on device 'cuda:0' {message}" in caught.value.message
        assert hint in (caught.value.hint or "")
    assert stub.modules() <= before + 1
    assert stub.launches() == []
    check_books()


_NO_SCRATCH = r"needs \d+ bytes of scratch memory for its programs, and the device is out of memory"


def test_scratch_memory_allocation_fails() -> None:
    add = make_add(global_scratch=(128, 128), profile_scratch=(64, 8))
    for before in (0, 1):
        stub.fail("cuMemAllocFromPoolAsync", 2, before)
        with pytest.raises(LaunchError, match=_NO_SCRATCH) as caught:
            add[(10, 10)](*operands(), 200)
        assert str(6400 if before else 12800) in caught.value.message
        check_books()
    add[(10, 10)](*operands(), 200)
    assert len(stub.launches()) == 1


def test_scratch_memory_size_overflows() -> None:
    add = make_add(global_scratch=(1 << 40, 128))
    stub.fail("cuMemAllocFromPoolAsync", 2)
    with pytest.raises(LaunchError, match=rf"needs {2**63 - 1} bytes of scratch memory"):
        add[(2**31 - 1,)](*operands(), 200)
    check_books()


class Wrong(stub.StubFunction):
    """A function whose kernels are damaged."""

    def __init__(self, kernel: object) -> None:
        def damaged(x): ...

        super().__init__(damaged)
        self._compile_cuda = lambda *_: kernel  # type: ignore[method-assign]


def test_a_damaged_cubin() -> None:
    kernel = stub._runtime.CUDAKernel(b"\x7fELF", "damaged", [(0, "n")], **stub.OPTIONS)
    with pytest.raises(LaunchError, match="cuModuleLoadData says 'device kernel image is invalid'"):
        Wrong(kernel)[(1,)](tensor())


def test_a_cubin_of_another_name() -> None:
    kernel = stub._runtime.CUDAKernel(
        b"other 0 1024 8 8 8", "damaged", [(0, "n")], 4, 1, 0, (0, 1), (0, 1), False, False
    )
    before = stub.modules()
    with pytest.raises(LaunchError, match="cuModuleGetFunction says 'named symbol not found'"):
        Wrong(kernel)[(1,)](tensor())
    assert stub.modules() <= before


@pytest.mark.parametrize("change", [
    {"num_warps": 0}, {"num_ctas": 0}, {"shared_bytes": -1}, {"global_scratch": (-1, 1)}, {"profile_scratch": (8, 3)},
    {"global_scratch": (8, 0)}, {"slots": [(0, "q")]}, {"slots": [(2048, "n")]},
    {"slots": [(0, "n")] * 1025}])  # fmt: skip
def test_refuses_invalid_kernel_options(change: dict[str, object]) -> None:
    options = {"cubin": b"x", "name": "x", "slots": [], **stub.OPTIONS}
    stub._runtime.CUDAKernel(**options)
    with pytest.raises(ValueError, match=r"one warp|encoding|at most 1024 parameters"):
        stub._runtime.CUDAKernel(**{**options, **change})


def test_a_kernel_is_initialized_once() -> None:
    kernel = stub.StubKernel("x", [], [])
    with pytest.raises(RuntimeError, match="initialized once"):
        stub._runtime.CUDAKernel.__init__(kernel, b"x", "x", [], **stub.OPTIONS)
    with pytest.raises(TypeError):
        stub._runtime.CUDAKernel.__mro__[1]()


def test_a_tensor_that_cannot_be_read() -> None:
    class Broken(CapsuleTensor):
        def __dlpack__(self, **options: object) -> object:
            raise BufferError("no memory today")

        def detach(self) -> CapsuleTensor:
            return self

    with pytest.raises(LaunchError, match="gives no access to its memory: no memory today"):
        make_add()[(1,)](Broken(), *operands()[1:], 200)


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(re.split(r"\s", file.read())[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("make", [tensor, CapsuleTensor])
def test_many_launches_do_not_leak(make: object) -> None:
    add = make_add(global_scratch=(16, 8))
    plain = make_add()
    x, y, out = (make(address) for address in (0xA00000, 0xB00000, 0xC00000))  # type: ignore[operator]
    stub.quiet(True)

    def launch(count: int) -> None:
        for _ in range(count):
            plain[(4,)](x, y, out, 200)
            add[(4,)](x, y, out, 200)
            for operand in (x, y, out):
                if isinstance(operand, CapsuleTensor):
                    operand.asked.clear()

    try:
        launch(1000)
        before = resident()
        launch(50_000)
        assert resident() - before < 256 << 10
    finally:
        stub.quiet(False)
    check_books()


def test_many_failures_do_not_leak() -> None:
    add = make_add()
    x, y, out = operands()
    other = tensor(device=1)

    def fail(count: int) -> None:
        for _ in range(count):
            with pytest.raises(LaunchError):
                add[(1,)](x, other, out, 200)
            with pytest.raises(LaunchError):
                add[(1, 70000)](x, y, out, 200)

    fail(100)
    before = resident()
    fail(2000)
    assert resident() - before < 1 << 20
