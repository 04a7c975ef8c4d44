"""Tests of graphs with our kernels that are saved, and run in other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import recorded_kernels as kernels
import torch
from torch._inductor import config

LOADED = """
import sys
import blockdsl.torch_compile.operator
import torch

path, x = sys.argv[1], torch.randn(70)
program = torch._inductor.aoti_load_package(path) if "aoti" in path else torch.export.load(path).module()
torch.testing.assert_close(program(x), 6 * x + 1)
print("recorded_kernels" in sys.modules)
"""

COMPILED = """
import sys
if "without" in sys.argv:
    sys.modules["triton"] = None
import torch, recorded_kernels
from torch._dynamo.utils import counters

x = torch.randn(70)
model = torch.compile(recorded_kernels.Model(), backend=sys.argv[1], fullgraph=True)
torch.testing.assert_close(model(x), 6 * x + 1)
print(counters["inductor"]["fxgraph_cache_hit"])
"""


def run(program: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def exported(strict: bool) -> torch.export.ExportedProgram:
    size = torch.export.Dim("size", min=8, max=4096)
    return torch.export.export(kernels.Model(), (torch.randn(50),), dynamic_shapes=({0: size},), strict=strict)


@pytest.mark.parametrize("strict", [True, False])
def test_an_exported_program_is_loaded_elsewhere(strict: bool, tmp_path: Path) -> None:
    path = str(tmp_path / "model.pt2")
    torch.export.save(exported(strict), path)
    assert run(LOADED, path) == "True"


def test_a_compiled_package_is_loaded_elsewhere(tmp_path: Path) -> None:
    path = str(tmp_path / "aoti.pt2")
    with config.patch("cpp_cache_precompile_headers", False):
        torch._inductor.aoti_compile_and_package(exported(True), package_path=path)
    assert run(LOADED, path) == "True"


def test_the_next_process_finds_the_graph(tmp_path: Path) -> None:
    environment = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path), "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    assert run(COMPILED, "blockdsl", **environment) == "0"
    assert run(COMPILED, "blockdsl", **environment) == "1"


def test_triton_is_not_needed(tmp_path: Path) -> None:
    environment = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path), "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0"}
    assert run(COMPILED, "inductor", "without", **environment) == "0"
