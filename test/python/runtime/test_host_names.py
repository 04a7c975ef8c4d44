"""Tests of names for host programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.backends.compiler import GPUTarget
from blockdsl.compiler import (
    ASTSource,
    CompiledKernel,
    IRSource,
    get_cache_key,
    make_backend,
    max_shared_mem,
)
from blockdsl.compiler.errors import CompilationError, CompileTimeAssertionFailure
from blockdsl.errors import CompileTimeAssertionError, LaunchError, TargetError
from blockdsl.language.core import _unwrap_if_constexpr, tensor
from blockdsl.language.extra import cuda
from blockdsl.language.extra.cuda import gdc_launch_dependents, gdc_wait
from blockdsl.language.extra.cuda import libdevice as cuda_libdevice
from blockdsl.language.extra.cuda.libdevice import tanh
from blockdsl.language.standard import _log2
from blockdsl.language.target_info import CPU
from blockdsl.runtime import Autotuner, JITFunction, KernelInterface, driver
from blockdsl.runtime.driver import driver as same_driver
from blockdsl.runtime.errors import OutOfResources


@blockdsl.jit
def doubled(x_ptr, n, BLOCK: tl.constexpr):
    gdc_wait()
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    if tl.target_info.is_cuda():
        x = x * 0
    tl.store(x_ptr + at, x * 2, mask=at < blockdsl.cdiv(n, 1))
    gdc_launch_dependents()


class Counted(KernelInterface[Any]):
    def __init__(self, kernel: Any) -> None:
        self.kernel, self.launches = kernel, 0

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        self.launches += not warmup
        return self.kernel.run(*args, grid=grid, warmup=warmup, **kwargs)


def test_kernel_interface_subclass() -> None:
    counted = Counted(doubled)
    x = torch.arange(6.0)
    counted[(2,)](x, 6, BLOCK=4)
    assert isinstance(counted.warmup(x, 6, BLOCK=4, grid=(1,)), CompiledKernel)
    assert (counted.launches, x.tolist()) == (1, [0, 2, 4, 6, 8, 10])


def test_kernel_interface_instances() -> None:
    tuned = blockdsl.autotune([blockdsl.Config({"BLOCK": 4})], key=["n"])(doubled)
    assert isinstance(doubled, JITFunction)
    assert isinstance(tuned, Autotuner)
    assert isinstance(doubled, KernelInterface)
    assert isinstance(tuned, KernelInterface)
    assert not isinstance(test_kernel_interface_instances, KernelInterface)


def test_driver_reports_the_cpu() -> None:
    active = driver.active
    assert driver is same_driver
    assert active.get_current_target().backend == "cpu"
    assert active.get_current_device() == active.get_current_stream() == 0
    assert active.get_active_torch_device() == torch.device("cpu")
    assert active.get_device_interface() is torch.cpu
    assert active.get_benchmarker() is blockdsl.testing.do_bench
    properties = active.utils.get_device_properties(0)
    assert all(value >= 1 for value in properties.values())
    assert properties["max_shared_mem"] >= 1 << 18
    active.set_current_device(0)
    driver.set_active(active)
    driver.reset_active()
    assert active.is_active()
    with pytest.raises(TargetError, match="the driver is that of the machine, got 3"):
        driver.set_active(3)


def test_triton_spelling_of_compile() -> None:
    source = ASTSource(
        doubled, {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {(2,): 8}, {(0,): [("tt.divisibility", 16)]}
    )
    assert source.signature == {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    assert (source.constants, source.attrs) == ({(2,): 8}, {(0,): [("tt.divisibility", 16)]})
    assert source.declared() == ({"x_ptr": "*fp32:16", "n": "i32"}, {"BLOCK": 8})
    target = GPUTarget("cpu", "any", 1)
    kernel = blockdsl.compiler.compile(source, target, {"num_warps": 2})
    assert kernel.hash == blockdsl.compile(source, target=target, options={"num_warps": 2}).hash
    x = torch.arange(8.0)
    kernel[(1,)](x, 8)
    assert x.tolist() == [2.0 * i for i in range(8)]
    assert ASTSource(doubled, source.signature, {"BLOCK": 8}).hash() != source.hash() == kernel.src.hash()
    with pytest.raises(LaunchError, match="kernel 'doubled' has no parameter 'BLOCKS'"):
        ASTSource(doubled, {}, {"BLOCKS": 8})


def test_module_by_triton_name(tmp_path: Path) -> None:
    path = tmp_path / "doubled.ttir"
    path.write_text(blockdsl.compile(ASTSource(doubled, {"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 8})).asm["ttir"])
    source = IRSource(str(path), None, make_backend(CPU))
    assert (source.name, source.ext, source.signature, source.parse_options()) == (
        "@doubled", "ttir", {0: "*fp32", 1: "i32"}, {}
    )  # fmt: skip
    kernel = blockdsl.compile(source, CPU)
    x = torch.arange(8.0)
    kernel[(1,)](x, 8)
    assert x.tolist() == [2.0 * i for i in range(8)]
    assert (kernel.src.name, kernel.src.hash()) == (source.name, source.hash())
    with pytest.raises(LaunchError, match=r"an IRSource is a .ttir file, got 'kernel.ptx'") as got:
        IRSource("kernel.ptx")
    assert got.value.hint == "BLOCKDSL_OVERRIDE_DIR takes the place of later stages"


def test_backend_attributes() -> None:
    source = ASTSource(doubled, {"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 8})
    gpu, cpu = make_backend(GPUTarget("cuda", 90, 32)), make_backend(CPU)
    assert (gpu.target.arch, gpu.binary_ext, cpu.binary_ext) == (90, "cubin", "asm")
    assert gpu.hash() != cpu.hash()
    options = gpu.parse_options({"num_warps": 8, "unheard_of": 1})
    assert options.num_warps == 8
    keys = {get_cache_key(source, back_end, given, {}) for back_end in (gpu, cpu)
            for given in (options, gpu.parse_options({}))}  # fmt: skip
    assert len(keys) == 4
    assert get_cache_key(source, cpu, options, {"A": "1"}) not in keys
    assert [gpu.supports_target(GPUTarget(name, 90, 32)) for name in ("cuda", "hip")] == [True, False]
    with pytest.raises(TargetError, match="a target is 'cpu' or"):
        make_backend(GPUTarget("hip", "gfx942", 64))
    assert max_shared_mem(0) >= 1 << 18


@blockdsl.jit
def inner_constants(x_ptr, FACTOR: tl.constexpr, n, BLOCK: tl.constexpr, step):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at * step, FACTOR * n, mask=at < n)


def test_a_launch_without_the_constants() -> None:
    x = torch.zeros(16)
    for step in (1, 2):
        compiled = inner_constants[(1,)](x.zero_(), 3, 5, 8, step)
        expected = x.clone()
        compiled[(1,)](x.zero_(), 5, step)
        assert torch.equal(x, expected)
        compiled[(1,)](x.zero_(), 3, 5, 8, step)
        assert torch.equal(x, expected)
        compiled[(1,)](x.zero_(), n=5, step=step)
        assert torch.equal(x, expected)
    # As many arguments as there are parameters that are no constants, or all but the last: these are the first ones.
    compiled = inner_constants[(1,)](x.zero_(), 3, 5, 8, 1)
    compiled[(1,)](x.zero_(), 3, 5, 8)
    assert x.tolist() == [15.0] * 5 + [0.0] * 11
    with pytest.raises(LaunchError, match="needs an argument for its parameter 'n'"):
        compiled[(1,)](x, 3)


def test_a_launch_with_a_stream() -> None:
    x = torch.zeros(16)
    compiled = inner_constants[(1,)](x, 3, 5, 8, 1)
    expected = x.clone()
    # A CPU has none. It is not an argument if as many are passed as there are parameters that are no constants.
    for stream in (None, 0, 7):
        compiled[(1,)](x.zero_(), 5, 1, stream=stream)
        assert torch.equal(x, expected)
        compiled[(1,)](x.zero_(), 3, 5, 8, 1, stream=stream)
        assert torch.equal(x, expected)
    seen: list[Any] = []
    with blockdsl.knobs.runtime.scope():
        blockdsl.knobs.runtime.launch_enter_hook = lambda metadata: seen.append(metadata.get()["stream"])
        compiled[(1,)](x, 5, 1, stream=7)
        compiled[(1,)](x, 5, 1)
    assert seen == [7, 0]

    @blockdsl.jit
    def flows(x_ptr, stream):
        tl.store(x_ptr, stream)

    # A parameter of that name is the kernel's own.
    compiled = flows[(1,)](x, 3)
    compiled[(1,)](x, stream=5)
    assert x[0] == 5

    @blockdsl.jit
    def nothing():
        pass

    nothing[(1,)]()[(1,)](stream=0)


def test_metadata_of_a_launch() -> None:
    compiled = doubled.warmup(torch.float32, 8, BLOCK=8, grid=(1,))
    assert compiled.launch_metadata((1, 1, 1), 0, 1, 2) is None
    seen: list[Any] = []
    kernel = blockdsl.jit(launch_metadata=lambda grid, metadata, args: {"bytes": 4 * args["n"], "grid": grid})(
        doubled.fn
    )
    with blockdsl.knobs.runtime.scope():
        blockdsl.knobs.runtime.launch_enter_hook = lambda metadata: seen.append(metadata.get())
        compiled = kernel[(1,)](torch.ones(8), 8, BLOCK=8)
        compiled[(2, 1, 1)](torch.ones(8), 8)
        computed = compiled.launch_metadata((3, 1, 1), 7, None, 16)
    assert [(each["bytes"], each["grid"]) for each in seen] == [(32, (1, 1, 1)), (32, (2, 1, 1))]
    assert computed is not None
    assert computed.get() == {"name": "doubled", "function": compiled, "stream": 7, "bytes": 64, "grid": (3, 1, 1)}


def test_compiled_kernel_runs_as_in_triton() -> None:
    x = torch.ones(8)
    compiled_kernel = doubled[(1,)](x, 8, BLOCK=8)
    assert compiled_kernel.function is compiled_kernel.module is compiled_kernel
    assert compiled_kernel.kernel.startswith(b"\x7fELF")
    seen: list[Any] = []
    with blockdsl.knobs.runtime.scope():
        # Its caller gets the hooks, and calls none of them here.
        blockdsl.knobs.runtime.launch_enter_hook = lambda metadata: seen.append("enter")
        told = compiled_kernel.launch_metadata((1, 1, 1), 0, x, 8)
        compiled_kernel.run(
            1, 1, 1, 0, compiled_kernel.function, compiled_kernel.packed_metadata, told, None, None, x, 8, 8
        )
        assert seen == []
        hooks = (blockdsl.knobs.runtime.launch_enter_hook, seen.append)
        compiled_kernel.run(1, 1, 1, 0, compiled_kernel.function, compiled_kernel.packed_metadata, told, *hooks, x, 8)
    assert seen == ["enter", told]
    assert torch.equal(x, torch.full((8,), 8.0))
    with pytest.raises(TypeError, match="the kernel takes 3 arguments, got 1"):
        compiled_kernel.run(1, 1, 1, 0, compiled_kernel.function, compiled_kernel.packed_metadata, None, None, None, x)
    with pytest.raises(blockdsl.errors.LaunchError, match="BLOCK=8"):
        compiled_kernel.run(
            1, 1, 1, 0, compiled_kernel.function, compiled_kernel.packed_metadata, None, None, None, x, 8, 16
        )


def test_kernel_reads_its_target() -> None:
    """Without the target, a front end would drop the branch, on a GPU too."""
    source = ASTSource(doubled, {"x_ptr": "*fp32", "n": "i32"}, {"BLOCK": 8})
    on_gpu = blockdsl.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ttir"]
    assert on_gpu.count("arith.mulf") > blockdsl.compile(source, CPU).asm["ttir"].count("arith.mulf")


def test_errors_by_triton_names() -> None:
    assert issubclass(CompileTimeAssertionFailure, CompilationError)
    assert CompilationError is blockdsl.CompilationError
    assert issubclass(OutOfResources, blockdsl.TritonError)
    assert CompileTimeAssertionFailure is CompileTimeAssertionError
    with pytest.raises(blockdsl.CompilationError):
        doubled.warmup(torch.float32, 6, BLOCK=3, grid=(1,))


def test_names_of_the_language_elsewhere() -> None:
    assert tensor is tl.tensor
    assert _unwrap_if_constexpr(tl.constexpr(3)) == 3
    assert _log2(64) == 6
    assert tanh is cuda_libdevice.tanh is tl.extra.libdevice.tanh
    assert tl.core.arange is tl.standard.arange is tl.arange
    assert tl.TRITON_MAX_TENSOR_NUMEL == 1 << 20


def test_types_by_name() -> None:
    assert tl.str_to_ty("*fp32") == tl.pointer_type(tl.float32)
    assert tl.str_to_ty("constexpr", 3) == tl.constexpr_type(3)
    assert tl.str_to_ty("constexpr", 3).value == 3
    pair = tl.str_to_ty(("i32", "constexpr"), (None, 3))
    assert str(pair) == "[int32,constexpr_type[3]]"
    assert pair.mangle() == "Ti32_c3T"
    assert str(tl.str_to_ty("tensordesc<fp16[16,64]>")) == "tensordesc<fp16[16,64]>"


@blockdsl.jit
def asks(out_ptr):
    tl.store(out_ptr, cuda.globaltimer())
    tl.store(out_ptr + 1, cuda.smid())
    tl.store(out_ptr + 2, cuda.num_warps())
    tl.store(out_ptr + 3, cuda.num_threads())
    (out_ptr + 4).store(tl.expect_zero(tl.load(out_ptr + 5), True))
    tl.static_assert(cuda.globaltimer().dtype == tl.int64)


def test_current_device() -> None:
    out = torch.tensor([-7] * 5 + [0])
    asks[(1,)](out)
    time, processor, *rest = out.tolist()
    assert time > 0
    assert 0 <= processor < 4096
    assert rest == [1, 1, 0, 0]


def test_reinterpreted_tensor() -> None:
    x = torch.zeros(4, dtype=torch.int8)
    wrapper = blockdsl.reinterpret(x, tl.float8e5)
    assert isinstance(wrapper, blockdsl.TensorWrapper)
    assert (wrapper.data_ptr(), wrapper.dtype, wrapper.element_size()) == (x.data_ptr(), tl.float8e5, 1)
    assert blockdsl.reinterpret(wrapper, torch.int8) is x
    assert wrapper.clone().cpu().to("cpu").new_empty((2,)).shape == (2,)
    wrapper.copy_(blockdsl.reinterpret(torch.ones(4, dtype=torch.int8), tl.float8e5))
    assert (x.tolist(), wrapper.stride(0), str(wrapper)[:22]) == ([1] * 4, 1, "TensorWrapper[fp8e5](t")


def test_marks_of_functions() -> None:
    def nothing() -> None: ...

    assert blockdsl.must_use_result(nothing) is nothing
    assert blockdsl.must_use_result("use it")(nothing) is nothing
    assert blockdsl.cdiv(10, y=4) == 3
    assert blockdsl.constexpr_function(abs)(tl.constexpr(-3)) == 3
