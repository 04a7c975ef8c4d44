"""A kernel to its cubin, with every Triton: stages, metadata, options, text from files. No GPU is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gpu_kernels
import pytest
import torch
import triton
from gpu_kernels import ADD, HALVES, PRODUCT, compiled

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.compiler import handoff
from blockdsl.compiler.options import CUDAOptions
from blockdsl.compiler.target import CUDA
from blockdsl.errors import LaunchError, TargetError
from blockdsl.language.target_info import GPUTarget
from blockdsl.launcher import arguments


def test_every_stage(triton_version: str) -> None:
    kernel = compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    assert list(kernel.asm) == ["ttir", "handoff", "ttgir", "llir", "ptx", "cubin"]
    assert kernel.asm["cubin"].startswith(b"\x7fELF")
    assert "tt.func public @add" in kernel.asm["ttir"]
    assert "#ttg.blocked" in kernel.asm["ttgir"]
    assert "define ptx_kernel void @add" in kernel.asm["llir"]
    assert ".visible .entry add" in kernel.asm["ptx"]
    assert ".target sm_90" in kernel.asm["ptx"]
    with pytest.raises(KeyError, match="'linalg' is no stage; the stages are ttir, handoff"):
        kernel.asm["linalg"]


def test_libdevice_functions_map_to_cuda_libdevice(triton_version: str) -> None:
    """Their results on a CPU are not used."""
    kernel = compiled(gpu_kernels.rounded_down, {"x_ptr": "*fp64", "out_ptr": "*fp64"}, {"SIZE": 128})
    assert kernel.asm["handoff"].count("tt.func") == 1
    assert [each for each in ("fma.rm.f64", "cvt.rp.f64.s64", "cvt.rni.s64.f64") if each not in kernel.asm["ptx"]] == []


def test_metadata_for_the_launch(triton_version: str) -> None:
    kernel = compiled(gpu_kernels.product, PRODUCT, {"SIZE": 32}, num_warps=8)
    assert isinstance(kernel, blockdsl.CompiledKernel)
    assert kernel.name == "product"
    assert kernel.metadata["target"] == GPUTarget("cuda", 90, 32)
    assert kernel.metadata["num_warps"] == 8
    assert kernel.metadata["num_ctas"] == 1
    assert 2 * 32 * 32 * 4 <= kernel.metadata["shared"] <= 227 << 10
    assert kernel.metadata["global_scratch_size"] == kernel.metadata["profile_scratch_size"] == 0
    assert kernel.metadata["slots"] == [[0, "n"], [1, "n"], [2, "n"]]


def test_aligned_arguments_make_wide_loads(triton_version: str) -> None:
    def loads(signature: dict[str, str]) -> tuple[int, int]:
        ptx = compiled(gpu_kernels.add, signature, {"BLOCK": 1024}).asm["ptx"]
        return ptx.count("ld.global.v4.b32"), ptx.count("ld.global.b32")

    assert loads(ADD) == (4, 0)
    # The mask is as wide as its scalar allows.
    assert loads({**ADD, "n": "i32"}) == (0, 16)
    assert loads({name: kind.removesuffix(":16") for name, kind in ADD.items()}) == (0, 16)


def test_a_scalar_equal_to_one_is_no_parameter(triton_version: str) -> None:
    kernel = compiled(gpu_kernels.early, {"x_ptr": "*fp32"}, {"n": 1})
    assert kernel.metadata["slots"] == [[0, "n"]]


def test_options_reach_the_code(triton_version: str) -> None:
    def ptx(**options: object) -> str:
        text: str = compiled(
            gpu_kernels.fused, {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32"}, **options
        ).asm["ptx"]
        return text

    assert ".reqntid 128" in ptx()
    assert ".reqntid 256" in ptx(num_warps=8)
    assert ".reqnctapercluster 2" in ptx(num_ctas=2)
    assert ".maxnreg 64" in ptx(maxnreg=64)
    assert "fma.rn.f32" in ptx()
    assert "fma.rn.f32" not in ptx(enable_fp_fusion=False)


def test_more_stages_take_more_memory(triton_version: str) -> None:
    def shared(stages: int) -> int:
        kernel = compiled(gpu_kernels.product_of_rows, HALVES, {"SIZE": 64, "DEPTH": 32}, num_stages=stages)
        size: int = kernel.metadata["shared"]
        return size

    assert shared(1) < shared(2) < shared(4)


@pytest.mark.parametrize(("precision", "instruction"), [(None, "tf32"), ("tf32", "tf32"), ("ieee", "fma.rn.f32")])
def test_float32_products_round_as_tritons(triton_version: str, precision: str | None, instruction: str) -> None:
    kernel = compiled(gpu_kernels.product, PRODUCT, {"SIZE": 32, "PRECISION": precision})
    assert instruction in kernel.asm["ptx"]
    assert ("tf32" in kernel.asm["ptx"]) == (instruction == "tf32")


def test_assertions_are_omitted_without_debug(triton_version: str) -> None:
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32"}
    silent, debug = (compiled(gpu_kernels.checked, signature, debug=flag).asm for flag in (False, True))
    assert "tt.assert" in silent["ttir"]
    assert "tt.assert" not in silent["handoff"]
    assert not re.search(r"assertfail|0f42240000", silent["ptx"])
    assert "__assertfail" in debug["ptx"]


def test_printing(triton_version: str) -> None:
    assert "vprintf" in compiled(gpu_kernels.printing, {"x_ptr": "*fp32"}).asm["ptx"]


def test_calls_are_inlined(triton_version: str) -> None:
    pointers = {"x_ptr": "*fp32", "out_ptr": "*fp32"}
    for kernel, scalars in ((gpu_kernels.calling, {}), (gpu_kernels.calling_in_a_loop, {"n": "i32"})):
        signature = {**pointers, **scalars}
        handed = compiled(kernel, signature).asm["handoff"]
        assert "tt.call" not in handed
        assert handed.count("tt.func") == 1


def test_a_kernel_keeps_its_early_return(triton_version: str) -> None:
    handed = compiled(gpu_kernels.early, {"x_ptr": "*fp32", "n": "i32"}).asm["handoff"]
    assert "cf.cond_br" in handed


def test_ttir_quotes_kernel_lines(triton_version: str) -> None:
    kernel = compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    line = next(number for number, text in enumerate(Path(gpu_kernels.__file__).read_text().splitlines(), 1)
                if "total = tl.load" in text)  # fmt: skip
    assert f'gpu_kernels.py":{line}:' in kernel.asm["handoff"]
    assert re.search(rf"\.loc\s+\d+ {line} ", kernel.asm["ptx"])


def test_a_text_file(triton_version: str, tmp_path: Path) -> None:
    path = tmp_path / "add.ttir"
    path.write_text(compiled(gpu_kernels.add, ADD, {"BLOCK": 1024}).asm["ttir"])
    kernel = blockdsl.compile(path, target="cuda:90")
    assert kernel.asm["ptx"].count("ld.global.v4.b32") == 4


TEXTS = Path(__file__).parents[2] / "Dialect" / "TT"
# These hints exclude each other: the assembler refuses them, in Triton as here.
PRINTED = sorted(path for path in TEXTS.glob("triton-3.[69]/*.raw.ttir") if path.name != "cache.raw.ttir")


@pytest.mark.parametrize("path", PRINTED, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_text_of_each_version(triton_version: str, path: Path) -> None:
    assert len(PRINTED) > 20
    assert blockdsl.compile(path, target="cuda:90").asm["cubin"].startswith(b"\x7fELF")


@pytest.mark.parametrize("capability", [80, 86, 89, 100, 120])
def test_other_generations(capability: int) -> None:
    kernel = blockdsl.compile(gpu_kernels.product, PRODUCT, {"SIZE": 32}, target=f"cuda:{capability}")
    assert f".target sm_{capability}" in kernel.asm["ptx"]


def test_dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_DUMP", "all")
    monkeypatch.setenv("BLOCKDSL_DUMP_DIR", str(tmp_path / "dump"))
    kernel = compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    written = {path.suffix[1:]: path for path in (tmp_path / "dump").iterdir()}
    assert sorted(written) == sorted(handoff.STAGES)
    assert written["cubin"].read_bytes() == kernel.asm["cubin"]
    assert ".visible .entry add" in written["ptx"].read_text()


def test_the_cpu_is_the_default() -> None:
    kernel = blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 1024}, num_warps=8)
    assert "asm" in kernel.asm
    assert "linalg" in blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 1024}, target="cpu").asm


def test_a_launch_compiles_for_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockdsl._runtime.cuda_capability", lambda device: {0: 90, 1: 80, 2: 90}[device])
    kernel = blockdsl.jit(gpu_kernels.checked.fn, debug=True)
    pointer = arguments.TENSOR | _runtime.DTYPES.index("fp32") << arguments.DTYPE_SHIFT | arguments.DIVISIBLE_BY_16
    none = [None] * len(kernel._option_names)

    def compiled_for(device: int, **options: object) -> Any:
        given = [options.get(name, value) for name, value in zip(kernel._option_names, none, strict=True)]
        return kernel._compile([None, None, *given], [pointer, pointer], 0, [], device)

    first = compiled_for(0)
    assert first.target == CUDA(90)
    assert first.options == CUDAOptions(debug=True)
    assert first.signature.divisibility == {"x_ptr": 16, "out_ptr": 16}
    assert compiled_for(2) is first
    assert compiled_for(1).target == CUDA(80)
    assert compiled_for(0, num_warps=8, debug=False).options == CUDAOptions(num_warps=8)
    with pytest.raises(TargetError, match="num_warps is a power of two"):
        compiled_for(0, num_warps=5)


def test_stand_ins_are_compiled_for_a_target_that_is_named() -> None:
    kernel = blockdsl.jit(gpu_kernels.add.fn)
    stand_ins = [torch.float32, blockdsl.MockTensor(torch.float32), triton.MockTensor(torch.float32)]
    warm = kernel.warmup(*stand_ins, 1024, BLOCK=1024, num_warps=8, grid=(1,), target="cuda:90")
    assert warm.target == CUDA(90)
    assert warm.options == CUDAOptions(num_warps=8)
    assert warm.signature.types == {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}
    assert warm.signature.divisibility == dict.fromkeys(["x_ptr", "y_ptr", "out_ptr", "n"], 16)
    assert kernel.run(*stand_ins, 1024, BLOCK=1024, num_warps=8, grid=(1,), warmup=True, target="cuda:90") is warm

    # A launch on a CPU runs another kernel.
    x, out = torch.ones(1024), torch.empty(1024)
    assert kernel[(1,)](x, x, out, 1024, BLOCK=1024, num_warps=8) is not warm
    assert torch.equal(out, 2 * x)
    for cpu in ({}, {"target": "cpu"}):
        assert "asm" in kernel.warmup(*stand_ins, 1024, BLOCK=1024, grid=(1,), **cpu).asm
    with pytest.raises(TargetError, match="a target is 'cpu' or 'cuda:<capability>' such as 'cuda:90', got 'gpu'"):
        kernel.warmup(*stand_ins, 1024, BLOCK=1024, grid=(1,), target="gpu")
    with pytest.raises(LaunchError, match="'n'"):
        kernel.warmup(*stand_ins, BLOCK=1024, grid=(1,), target="cuda:90")


@blockdsl.jit
def of_a_tuple(pair, out_ptr):
    tl.store(out_ptr, tl.load(pair[0]) + pair[1])


def test_stand_ins_in_tuples() -> None:
    warm = of_a_tuple.warmup((torch.float16, 7), torch.float16, grid=(1,), target="cuda:90")
    assert warm.signature.types == {"pair[0]": "*fp16", "pair[1]": "i32", "out_ptr": "*fp16"}


@blockdsl.jit
def aimed(target, x_ptr):
    tl.store(target, tl.load(x_ptr))


def test_a_parameter_may_be_called_target() -> None:
    kernel = aimed.warmup(target=torch.float32, x_ptr=torch.float32, grid=(1,))
    assert "asm" in kernel.asm


def test_a_stand_in_has_strides() -> None:
    for shape in (None, [5], [2, 3, 4]):
        assert blockdsl.MockTensor(torch.float16, shape).stride() == torch.empty(shape or [1]).stride()
    assert blockdsl.MockTensor(torch.float16).data_ptr() == 0
