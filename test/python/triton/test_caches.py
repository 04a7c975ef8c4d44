"""Tests of Triton's cache and ours, in other processes and damaged, and of kernels passed between processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton
from triton.runtime import driver

import blockdsl
from blockdsl.triton import kernel_binary

PROGRAM = """
import sys, torch, stock_kernels as stock
x, y, out = torch.arange(3 * 500, dtype=torch.float32).reshape(3, 500)
kernel = stock.add[(1,)](x, y, out, 500, BLOCK=512)
assert torch.equal(out, x + y)
print(kernel.hash, "blockdsl._native" in sys.modules, "llvmlite" in sys.modules)
memory = torch.ones(600)
kernel[(1, 1, 1)](memory, memory, memory[1:], 500)
assert memory[2] == 4 or memory[2] == 2, memory
"""


def run() -> str:
    path = os.pathsep.join([str(Path(stock.__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_another_process_finds_the_kernel_and_loads_no_compiler() -> None:
    key, *_ = cold = run().split()
    assert cold == [key, "True", "True"]
    assert run().split() == [key, "False", "False"]


def test_own_cache_serves_if_triton_cache_is_empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "another"))
    # The text is parsed for the types of its parameters, and nothing is compiled.
    assert run().split()[1:] == ["True", "False"]


MANAGER = """
import os
from triton.runtime.cache import RemoteCacheBackend

class Server(RemoteCacheBackend):
    def __init__(self, key):
        self.start = os.path.join(os.environ["SERVED"], key)

    def get(self, filenames):
        paths = {name: f"{self.start}-{name}" for name in filenames}
        return {name: open(path, "rb").read() for name, path in paths.items() if os.path.exists(path)}

    def put(self, filename, data):
        with open(f"{self.start}-{filename}", "wb") as file:
            file.write(data)
"""


def test_triton_cache_manager_stores_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It has Triton's files and ours, and needs neither cache."""
    served = tmp_path / "served"
    served.mkdir()
    (tmp_path / "served_kernels.py").write_text(MANAGER)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("SERVED", str(served))
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "triton.runtime.cache:RemoteCacheManager")
    monkeypatch.setenv("TRITON_REMOTE_CACHE_BACKEND", "served_kernels:Server")
    for number, loaded in enumerate((["True", "True"], ["False", "False"])):
        monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / f"triton{number}"))
        monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / f"ours{number}"))
        assert run().split()[1:] == loaded
    assert {path.name.partition("-")[2] for path in served.iterdir()} >= {"kernel", "add.blockdsl", "add.json"}


def binary() -> bytes:
    code = stock.add.warmup(torch.float32, torch.float32, torch.float32, 500, BLOCK=512, grid=(1,)).asm["blockdsl"]
    assert isinstance(code, bytes)
    return code


def test_binary_is_distinguished_from_gpu_binaries() -> None:
    assert kernel_binary.is_cpu_binary(binary())
    assert not kernel_binary.is_cpu_binary(b"\x7fELF")
    assert not kernel_binary.is_cpu_binary("text")


@pytest.mark.parametrize(
    "damage", [lambda code: code[:-1], lambda code: code[:200], lambda code: code[:-9] + b"damaged!!"]
)
def test_a_damaged_binary_is_refused(damage: Any) -> None:
    with pytest.raises(blockdsl.errors.LaunchError, match="a kernel that Triton has kept cannot be used"):
        driver.active.utils.load_binary("add", damage(binary()), 0, "cpu")


def test_a_binary_of_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    code = binary()
    monkeypatch.setattr(kernel_binary, "host_identity", lambda: "another machine")
    with pytest.raises(blockdsl.errors.LaunchError, match="compiled for another machine"):
        kernel_binary.unpack(code)


def test_key_depends_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    from blockdsl.triton import pipeline

    here = triton.compiler.make_backend(driver.active.get_current_target()).hash()
    monkeypatch.setattr(pipeline, "host_identity", lambda: "another machine")
    assert triton.compiler.make_backend(driver.active.get_current_target()).hash() != here


def test_a_kernel_in_a_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    program = Path(__file__).with_name("bytes_program.py")
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path)], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "too small" in done.stdout
    assert "caf\\xe9/kernels.py:13:" in done.stdout
