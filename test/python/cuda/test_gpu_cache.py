"""Tests of GPU kernels in the disk cache: found again without Triton, and never under another kernel's key."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gpu_kernels
import pytest
from gpu_kernels import ADD, TRITON_3_6, compiled

import blockdsl
from blockdsl.backends import nvidia

PROGRAM = """
import sys
import gpu_kernels
assert not {"triton", "torch", "llvmlite"} & set(sys.modules), "importing the package imports too much"
kernel = gpu_kernels.compiled(gpu_kernels.add, gpu_kernels.ADD, {"BLOCK": 1024})
assert "triton" not in sys.modules
print(len(kernel.asm["cubin"]), kernel.metadata["key"])
"""


def run_program(*path: Path) -> str:
    here = Path(__file__).parent
    found = ":".join(map(str, [*path, here, here.parents[2] / "python"]))
    result = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True,
                            env={**os.environ, "PYTHONPATH": found})  # fmt: skip
    return result.stdout


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with every text that is passed to Triton."""
    seen: list[int] = []
    run = nvidia.Compilation.run

    def counted(self: nvidia.Compilation, text: str, capability: int, *rest: object) -> nvidia.Compiled:
        seen.append(capability)
        return run(self, text, capability, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(nvidia.Compilation, "run", counted)
    return seen


def test_a_second_kernel_is_loaded(compilations: list[int]) -> None:
    first = compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    again = compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    assert compilations == [90]
    assert again.asm["cubin"] == first.asm["cubin"]
    assert dict(again.metadata) == dict(first.metadata)


@pytest.mark.parametrize("options", [{"num_warps": 8}, {"num_stages": 2}, {"enable_fp_fusion": False}, {"debug": True},
                                     {"maxnreg": 128}, {"num_ctas": 2}])  # fmt: skip
def test_options_are_part_of_the_key(options: dict[str, object], compilations: list[int]) -> None:
    compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    compiled(gpu_kernels.add, ADD, {"BLOCK": 1024}, **options)
    assert compilations == [90, 90]


def test_target_and_environment_are_part_of_the_key(compilations: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 1024}, target="cuda:80")
    assert compilations == [90, 80]
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    kernel = compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    assert compilations == [90, 80, 90]
    assert ".loc" not in kernel.asm["ptx"]


def test_another_process_needs_no_triton() -> None:
    first = run_program()
    assert run_program() == first


def test_each_triton_has_its_own_kernels(triton_version: str, compilations: list[int]) -> None:
    assert nvidia.toolchain().version.startswith(triton_version)
    compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    compiled(gpu_kernels.add, ADD, {"BLOCK": 1024})
    assert len(compilations) == 1


def test_tritons_do_not_share() -> None:
    latest = run_program()
    assert run_program(TRITON_3_6) != latest
    assert run_program() == latest
