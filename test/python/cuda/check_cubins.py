"""Checks of launches of kernels that Triton compiled: the driver's arguments are those that the cubin declares.

Like a driver, the stub reads from a cubin the kernel's name, its threads, and the size of each parameter.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import gpu_kernels
import pytest
import stub
import torch
from stub import operands, tensor
from test_gpu_descriptors import doubled, made_inside

import blockdsl
import blockdsl.language as tl

pytestmark = pytest.mark.usefixtures("triton_version")


@dataclass
class Described:
    base: Any
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False


def launched(kernel: Any, grid: int, *args: object, **options: object) -> tuple[Any, list[stub.Call]]:
    """Returns the kernel that ran, and the driver's calls since its compilation."""
    stub.take()
    # Compiled anew, because the last one may come from another Triton.
    compiled = blockdsl.jit(kernel.fn)[(grid,)](*args, **options)
    return compiled, stub.take()


def launch_in(calls: list[stub.Call]) -> stub.Call:
    (call,) = (call for call in calls if call["call"] == "cuLaunchKernelEx")
    return call


def packed(layout: str, *values: object) -> list[str]:
    return [struct.pack("<" + code, value).hex() for code, value in zip(layout, values, strict=True)]


@pytest.mark.parametrize("num_warps", [1, 8])
def test_the_driver_gets_the_cubin(num_warps: int) -> None:
    compiled, calls = launched(gpu_kernels.add, 16, *operands(), 1000, BLOCK=64, num_warps=num_warps)
    launch = launch_in(calls)
    assert stub.image() == compiled.asm["cubin"]
    assert launch["kernel"] == compiled.name == "add"
    assert launch["grid"] == [16, 1, 1]
    assert launch["block"] == [32 * num_warps, 1, 1]
    assert launch["shared"] == compiled.metadata["shared"]
    assert launch["parameters"] == packed("QQQiQQ", 0xA00000, 0xB00000, 0xC00000, 1000, 0, 0)


@blockdsl.jit
def sum_of_scalars(out_ptr, n, wide, x, half: tl.float16, double: tl.float64, flag, huge):
    total = n.to(tl.float64) + wide.to(tl.float64) + x.to(tl.float64) + half.to(tl.float64) + double
    tl.store(out_ptr, tl.where(flag, total, huge.to(tl.float64)))


def test_scalars_have_the_width_that_the_cubin_reads() -> None:
    values = (7, 1 << 40, 0.5, 1.5, 2.5, True, (1 << 63) + 5)
    _, calls = launched(sum_of_scalars, 1, tensor(0xA00000, "fp64"), *values)
    assert launch_in(calls)["parameters"] == packed("QiqfedBQQQ", 0xA00000, *values, 0, 0)


def test_shared_memory_beyond_what_every_kernel_has() -> None:
    halves = [tensor(address, "fp16") for address in (0xA00000, 0xB00000, 0xC00000)]
    compiled, calls = launched(
        gpu_kernels.product_of_rows, 1, *halves, 512, SIZE=128, DEPTH=64, num_warps=4, num_stages=4
    )
    shared = compiled.metadata["shared"]
    assert 48 << 10 < shared == launch_in(calls)["shared"]
    requested = {call["attribute"]: call["value"] for call in calls if call["call"] == "cuFuncSetAttribute"}
    # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    assert requested == {8: shared}


def test_a_program_on_two_thread_blocks() -> None:
    compiled, calls = launched(gpu_kernels.add, 3, *operands(), 1000, BLOCK=1024, num_ctas=2)
    launch = launch_in(calls)
    assert stub.image() == compiled.asm["cubin"]
    assert launch["grid"] == [6, 1, 1]
    # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    assert [4, 2, 1, 1] in launch["attributes"]


def test_a_descriptor_is_the_map_that_the_cubin_reads() -> None:
    described = [Described(tensor(address, "fp16"), [100, 64], [64, 1], [32, 64]) for address in (0xA00000, 0xB00000)]
    _, calls = launched(doubled, 4, described[0], 0.5, described[1])
    maps = [call for call in calls if call["call"] == "cuTensorMapEncodeTiled"]
    assert [call["base"] for call in maps] == [0xA00000, 0xB00000]
    first, second = (struct.pack("<16Q", *(base + word for word in range(16))).hex() for base in (0xA00000, 0xB00000))
    sizes = packed("iiqq", 100, 64, 64, 1)
    assert launch_in(calls)["parameters"] == [first, *sizes, *packed("f", 0.5), second, *sizes, *packed("QQ", 0, 0)]


def test_scratch_memory_of_all_programs() -> None:
    compiled, calls = launched(made_inside, 5, tensor(0xA00000, "fp32"), 128)
    (allocated,) = (call for call in calls if call["call"] == "cuMemAllocFromPoolAsync")
    assert allocated["bytes"] == 5 * compiled.metadata["global_scratch_size"] > 0
    assert launch_in(calls)["parameters"][-2:] == packed("QQ", allocated["address"], 0)


def test_launch_uses_warmed_up_kernel() -> None:
    kernel = blockdsl.jit(gpu_kernels.add.fn)
    given = {"BLOCK": 64, "num_warps": 8}
    warm = kernel.warmup(*[torch.float32] * 3, 1000, **given, grid=(16,), target="cuda:90")
    stub.take()
    assert kernel[(16,)](*operands(), 1000, **given) is warm
    assert launch_in(stub.take())["block"] == [256, 1, 1]
    assert stub.image() == warm.asm["cubin"]
