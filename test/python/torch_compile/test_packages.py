"""Tests of Triton's and Inductor's kernels in packages of AOTInductor, which run without Python and blockdsl."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import packaged_kernels as kernels
import pytest
import torch
import triton
import triton.language as tl
from torch._inductor import config
from torch.testing import assert_close

from blockdsl.errors import CompilationError, TargetError
from blockdsl.torch_compile import inductor_configs

pytestmark = pytest.mark.since_torch_2_13

LOADED = """
import sys
sys.modules["triton"] = sys.modules["blockdsl"] = None
import torch

path, threads, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(threads)
model, x = torch._inductor.aoti_load_package(path), torch.load(path + ".x")
torch.save(model(x), path + ".out")
"""


def packaged(function: Callable[..., Any], *args: Any, path: Path, own: bool = False, **settings: Any) -> str:
    """Exports and packages. With ``own`` Inductor's kernels are Triton's, too; otherwise they are its C++."""
    module = function if isinstance(function, torch.nn.Module) else torch.nn.Module()
    module.forward = function.forward if module is function else function  # type: ignore[union-attr,assignment]
    exported = torch.export.export(module, args, **settings)
    chosen = inductor_configs() if own else {}
    with config.patch("cpp_cache_precompile_headers", False):
        return str(torch._inductor.aoti_compile_and_package(exported, package_path=str(path), inductor_configs=chosen))


@pytest.fixture(scope="module", params=["Inductor's are C++", "Inductor's are ours"])
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, kernels.Model]:
    torch.manual_seed(0)
    model, rows = kernels.Model().eval(), torch.export.Dim("rows", min=2, max=200)
    # Settings of Inductor for one graph do not apply to the package.
    assert_close(torch.compile(torch.neg, backend="blockdsl")(torch.ones(3)), -torch.ones(3))
    path = packaged(
        model, torch.randn(50, kernels.COLUMNS), path=tmp_path_factory.mktemp("package") / "model.pt2",
        own=request.param == "Inductor's are ours", strict=True, dynamic_shapes=({0: rows},),
    )  # fmt: skip
    return path, model


def test_a_package_is_equal_to_the_model(package: tuple[str, kernels.Model]) -> None:
    path, model = package
    loaded = torch._inductor.aoti_load_package(path)
    for rows in (50, 2, 199):
        x = torch.randn(rows, kernels.COLUMNS)
        assert_close(loaded(x).double(), model.reference(x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 3])
def test_package_runs_without_blockdsl(package: tuple[str, kernels.Model], threads: int) -> None:
    path, model = package
    x = torch.randn(77, kernels.COLUMNS)
    torch.save(x, f"{path}.x")
    environment = {**os.environ, "PYTHONPATH": ""}
    subprocess.run([sys.executable, "-c", LOADED, path, str(threads), "77"], check=True, env=environment)
    assert_close(torch.load(f"{path}.out").double(), model.reference(x), rtol=1e-4, atol=1e-4)


def test_an_assertion_fails_in_a_package(package: tuple[str, kernels.Model]) -> None:
    loaded = torch._inductor.aoti_load_package(package[0])
    with pytest.raises(RuntimeError, match=r"too large to be added\n.*:\d+:5"):
        loaded(torch.full((9, kernels.COLUMNS), 1e12))


@triton.jit
def printing(x_ptr):
    x = tl.load(x_ptr)
    tl.device_print("x", x)
    tl.store(x_ptr, x + 1)


@triton.jit
def exp(x_ptr):
    tl.store(x_ptr, tl.exp(tl.load(x_ptr)))


@triton.jit
def many(x_ptr, n, factor):
    at = tl.arange(0, 16)
    tl.store(x_ptr + at, factor + n, mask=at < n)


def launched(kernel: Any, *args: object) -> Callable[[torch.Tensor], torch.Tensor]:
    def function(x: torch.Tensor) -> torch.Tensor:
        kernel[(1,)](x, *args)
        return x

    return function


@pytest.mark.parametrize(("kernel", "message"), [
    (printing, r"device_print.*:\d+:5.*hint: leave it out, or launch the kernel from Python"),
    (exp, r"kernel 'exp' is expected to have a name that a function of a C program may have"),
])  # fmt: skip
def test_refuses_unpackable_kernels(kernel: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=f"(?s){message}"):
        packaged(launched(kernel), torch.zeros(16), path=tmp_path / "refused.pt2", strict=True)


DIRECT = """
import ctypes, sys

memory, n, flag = (ctypes.c_float * 34)(), ctypes.c_int64(int(sys.argv[2])), ctypes.c_int64(1)
base = ctypes.addressof(memory) + 4
places = (ctypes.c_void_p * 4)(base, base + 4, ctypes.addressof(n), ctypes.addressof(flag))
ctypes.CDLL(sys.argv[1]).run_from_nativert(1, 1, 1, 1, places, None)
print(*memory)
"""


def run(path: str, n: int) -> subprocess.CompletedProcess[str]:
    """Calls a library as torch does, from a program without torch."""
    return subprocess.run([sys.executable, "-c", DIRECT, path, str(n)], capture_output=True, text=True, check=False)


@triton.jit
def after(x_ptr, out_ptr, n, flag: tl.int1, half: tl.float16):
    for i in range(n):
        x = tl.load(x_ptr + i)
        tl.store(out_ptr + i, x + 1 if flag else x + half)


@triton.jit
def following(x_ptr, out_ptr, n, flag: tl.int1):
    for i in range(n):
        tl.store(out_ptr + i, tl.load(x_ptr + i) + flag.to(tl.float32))


def test_library_arguments_are_checked(tmp_path: Path) -> None:
    # Memory that overlaps, at an address that is no multiple of 16; the launch that compiled it had other arguments.
    compiled = following[(1,)](torch.zeros(16), torch.zeros(16), 16, True)
    assert "so" not in compiled.asm
    assert compiled.asm.get("so") == compiled.asm["launcher.so"]
    path = tmp_path / "following.so"
    path.write_bytes(compiled.asm["so"])
    assert run(str(path), 32).stdout.split() == [f"{max(i - 1, 0)}.0" for i in range(34)]
    # Torch passes all integers with 64 bits, without checks.
    done = run(str(path), 2**31)
    assert done.returncode and "following: n does not fit in i32" in done.stderr, done


WIDTH = "kernel 'after' takes 'half' as fp16, which AOTInductor does not pass as it is\n  hint: pass a tensor, an "


def test_a_float_of_another_width_is_refused() -> None:
    compiled = after[(1,)](torch.zeros(16), torch.zeros(16), 16, True, 1.0)
    with pytest.raises(TargetError, match=WIDTH):
        compiled.asm.get("so")


def test_a_compiler_that_fails_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = many[(1,)](torch.zeros(16), 16, 1.0)
    monkeypatch.setattr("torch._inductor.cpp_builder.get_cpp_compiler", lambda: "false")
    with pytest.raises(CompilationError, match=r"'false' does not make a shared library of kernel 'many': "):
        compiled.asm.get("so")
