"""Host code that computes a launch from the properties of the device and of the compiled kernel."""

from __future__ import annotations

from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton
import triton.testing
from triton.runtime import driver

import blockdsl


def softmax(x: torch.Tensor, num_warps: int, warp_size: int | None = None) -> tuple[torch.Tensor, int]:
    """Computes the occupancy as in Triton's tutorial on fused softmax, and launches accordingly."""
    properties = driver.active.utils.get_device_properties(driver.active.get_active_torch_device().index)
    rows, columns = x.shape
    stages = 4 if properties["max_shared_mem"] > 200000 else 2
    out = torch.empty_like(x)
    kernel = stock.softmax_of_rows.warmup(
        out, x, x.stride(0), out.stride(0), rows, columns,
        BLOCK=triton.next_power_of_2(columns), num_stages=stages, num_warps=num_warps, grid=(1,),
    )  # fmt: skip
    kernel._init_handles()
    warp_size = warp_size or properties["warpSize"]
    occupancy = properties["max_num_regs"] // (kernel.n_regs * warp_size * num_warps)
    occupancy = min(occupancy, properties["max_shared_mem"] // kernel.metadata.shared)
    programs = min(properties["multiprocessor_count"] * occupancy, rows)
    kernel[(programs, 1, 1)](out, x, x.stride(0), out.stride(0), rows, columns, triton.next_power_of_2(columns), stages)
    return out, occupancy


@pytest.mark.parametrize("num_warps", [1, 4, 8, 16, 32])
@pytest.mark.parametrize("warp_size", [None, 32])
def test_the_tutorials_sum_of_occupancy(num_warps: int, warp_size: int | None) -> None:
    x = torch.randn(1823, 781)
    out, occupancy = softmax(x, num_warps, warp_size)
    assert occupancy >= 1
    torch.testing.assert_close(out, torch.softmax(x, 1))


def test_properties_are_nonzero() -> None:
    properties = driver.active.utils.get_device_properties("cpu")
    assert set(properties) == {
        "max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize", "sm_clock_rate", "mem_clock_rate",
        "mem_bus_width",
    }  # fmt: skip
    assert all(isinstance(value, int) and value > 0 for value in properties.values())
    assert properties.get("num_vectorcore", 20) == 20
    assert "'warpSize': 1" in repr(properties)
    kernel = stock.add.warmup(torch.float32, torch.float32, torch.float32, 500, BLOCK=512, grid=(1,))
    kernel._init_handles()
    assert (kernel.n_regs, kernel.n_spills, kernel.metadata.shared) in ((16, 0, 1), (32, 0, 1))
    assert kernel.packed_metadata == (4, 1, 1)


def test_memory_has_the_bandwidth_of_a_copy() -> None:
    gigabytes_per_second = triton.testing.get_dram_gbps()
    assert 0.1 < gigabytes_per_second < 10000
    # It is measured once.
    assert triton.testing.get_dram_gbps() == gigabytes_per_second


@pytest.mark.parametrize("peak", [triton.testing.get_max_tensorcore_tflops, triton.testing.get_max_simd_tflops])
def test_gpu_peak_needs_a_gpu(peak: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises((AssertionError, RuntimeError, ValueError), match=r"CUDA|NVIDIA|cuda"):
        peak(torch.float16, driver.active.utils.get_device_properties("cpu")["sm_clock_rate"], "cpu")


def test_device_interface_matches_torch() -> None:
    interface = driver.active.get_device_interface()
    assert (interface.current_device(), interface.device_count(), interface.is_available()) == (0, 1, True)
    properties = interface.get_device_properties(interface.current_device())
    assert properties.multi_processor_count == torch.get_num_threads()
    assert properties.name == interface.get_device_name() != ""
    assert (properties.major, properties.minor) == interface.get_device_capability() == (0, 0)
    sizes = {name: value for name, value in vars(properties).items() if name not in ("name", "major", "minor")}
    assert all(value > 0 for value in sizes.values()), sizes
    # Everything else is as in torch for the CPU.
    assert interface.current_stream() == torch.cpu.current_stream()
    with interface.stream(None):
        interface.set_device("cpu")
    with pytest.raises(AttributeError, match="what_nobody_has"):
        interface.what_nobody_has()


def test_our_own_driver_has_the_same_properties() -> None:
    ours = blockdsl.runtime.driver.active.utils.get_device_properties(0)
    if blockdsl.runtime.driver.active.get_current_target().backend == "cpu":
        assert dict(ours) == dict(driver.active.utils.get_device_properties("cpu"))
    assert ours["max_num_regs"] // (32 * ours["warpSize"] * 32) >= 1
