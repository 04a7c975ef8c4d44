"""Checks of resource queries: a kernel's registers, and the time of the query."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import stub
from stub import StubKernel, make_add, operands

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime, knobs
from blockdsl.backends.driver import Driver
from blockdsl.compiler.cuda import CUDAKernel
from blockdsl.errors import LaunchError, OutOfResourcesError


@blockdsl.jit
def zeroed(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 0.0)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """torch determines the current device, and has none here."""
    monkeypatch.setattr(Driver, "get_current_device", lambda self: 1)
    monkeypatch.setattr(Driver, "get_current_stream", lambda self, device=None: 0)
    stub.unload_the_dead()
    with knobs.runtime.scope():
        yield
    stub.forget_faults()


def compiled() -> CUDAKernel:
    made = blockdsl.compile(zeroed, {"x_ptr": "*fp32"}, {"BLOCK": 128}, target="cuda:90", num_warps=4)
    assert isinstance(made, CUDAKernel)
    return made


def test_registers_of_a_kernel_that_was_not_launched() -> None:
    kernel = compiled()
    assert stub.take() == []
    # The stub's cubin contains the number of threads; the kernel has as many registers as these leave, and two words of
    # memory.
    assert (kernel.n_max_threads, kernel.n_regs, kernel.n_spills) == (128, 65536 // 128, 2)
    kernel._init_handles()
    (load,) = stub.taken("cuModuleLoadData")
    assert load["context"] == stub.FIRST_CONTEXT + 1


def test_a_launch_loads_only_once() -> None:
    kernel = compiled()
    x = stub.tensor(device=1)
    kernel[(1,)](x)
    assert kernel.n_regs == 512
    kernel[(1,)](x)
    calls = [call["call"] for call in stub.take()]
    assert (calls.count("cuModuleLoadData"), calls.count("cuLaunchKernelEx")) == (1, 2)


def test_kernel_refused_by_the_driver() -> None:
    kernel = compiled()
    stub.fail("cuModuleLoadData", 200)
    with pytest.raises(LaunchError, match="kernel 'zeroed' on device 'cuda:1' was not launched: cuModuleLoadData says"):
        _ = kernel.n_regs
    assert kernel.n_spills == 2
    # A kernel with more threads than the registers allow.
    failure = StubKernel("kernel", [], [], most_threads=64).load(0, 0)
    assert failure == ("threads", (0, "", "", 128, 64))
    with pytest.raises(OutOfResourcesError, match="is launched with 128 threads a block"):
        make_add(most_threads=64)[(1,)](*operands(), 200)
    for device in (-1, 64):
        with pytest.raises(ValueError, match="a kernel is loaded on a GPU, by its number"):
            kernel.load(device, 0)
    with pytest.raises(ValueError, match="a kernel is loaded on a GPU"):
        _runtime.CUDAKernel.__new__(_runtime.CUDAKernel).load(0, 0)


def test_hooks_around_loading() -> None:
    seen: list[str] = []
    knobs.runtime.kernel_load_start_hook.add(
        lambda *failure: seen.append(f"start {failure[0]} {failure[2]} {stub.modules()}")
    )
    knobs.runtime.kernel_load_end_hook.add(
        lambda *failure: seen.append(f"end {failure[0]} {failure[2]} {stub.modules()}")
    )
    before = stub.modules()
    kernel = compiled()
    assert seen == []
    kernel[(1,)](stub.tensor(device=1))
    kernel[(1,)](stub.tensor(device=1))
    assert seen == [f"start None zeroed {before}", f"end {kernel} zeroed {before + 1}"]
    # On the other GPU, which is not the current one, it is loaded again.
    seen.clear()
    kernel[(1,)](stub.tensor(device=0))
    kernel[(1,)](stub.tensor(device=0))
    assert seen == [f"start None zeroed {before + 1}", f"end {kernel} zeroed {before + 2}"]
