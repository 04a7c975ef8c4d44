"""A kernel to its cubin, with every Triton: stages, metadata, options, text from files. No GPU is needed."""

from __future__ import annotations

import re
from pathlib import Path

import gpu_kernels
import pytest
from gpu_kernels import ADD, HALVES, PRODUCT, compiled

import blockdsl
from blockdsl.compiler import handoff


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


def test_what_a_launch_has_to_know(triton_version: str) -> None:
    kernel = compiled(gpu_kernels.product, PRODUCT, {"SIZE": 32}, num_warps=8)
    assert isinstance(kernel, blockdsl.CompiledKernel)
    assert kernel.name == "product"
    assert kernel.metadata["target"] == "cuda:90"
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
    # The mask is as wide as the scalar it is made of allows.
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
        taken: int = kernel.metadata["shared"]
        return taken

    assert shared(1) < shared(2) < shared(4)


@pytest.mark.parametrize(("precision", "instruction"), [(None, "tf32"), ("tf32", "tf32"), ("ieee", "fma.rn.f32")])
def test_float32_products_round_as_tritons(triton_version: str, precision: str | None, instruction: str) -> None:
    kernel = compiled(gpu_kernels.product, PRODUCT, {"SIZE": 32, "PRECISION": precision})
    assert instruction in kernel.asm["ptx"]
    assert ("tf32" in kernel.asm["ptx"]) == (instruction == "tf32")


def test_assertions_cost_nothing_unless_asked_for(triton_version: str) -> None:
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


def test_the_text_quotes_the_kernels_lines(triton_version: str) -> None:
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
# Hints that exclude each other: the assembler refuses them, in Triton as here.
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
