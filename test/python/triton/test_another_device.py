"""Tests in processes with a second device, which replaces a GPU: Triton finds its driver as it finds ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import blockdsl

HERE = Path(__file__).parent
OURS = str(Path(blockdsl.__file__).parents[1])


@pytest.fixture
def another(tmp_path: Path) -> str:
    """Returns a directory in which the other device's back end is installed, where Triton finds it."""
    directory = tmp_path / "another_device"
    shutil.copytree(HERE / "another_device", directory)
    about = directory / "another-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: another\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[triton.backends]\nanother = another\n")
    return str(directory)


CHOSEN = """
import torch, triton
import stock_kernels as stock
from another.driver import AnotherDriver, Asked
from triton.backends import backends
from triton.runtime import driver

print(list(backends).index("another") < list(backends).index("cpu"))
x, y, out = torch.randn(3, 500)
stock.add[(1,)](x, y, out, 500, BLOCK=512)
assert torch.equal(out, x + y)
assert driver.active.get_current_target().backend == "cpu"


class OnTheOther:
    dtype = torch.float32
    device = torch.device("cuda", 0)

    def data_ptr(self):
        return 4096


try:
    stock.add[(1,)](OnTheOther(), OnTheOther(), OnTheOther(), 4, BLOCK=4)
except Asked as error:
    print(error)
# Who asks the driver itself, as Inductor does for a graph on a GPU, has its own word.
print(AnotherDriver.is_active())
"""

GRAPH = """
import sys, torch
from torch._inductor.async_compile import AsyncCompile
from triton.runtime import driver

AsyncCompile.wait_pool_ready()
x = torch.arange(1200.0).reshape(30, 40) / 1200
if "plain" in sys.argv:
    with torch._inductor.config.patch(cpu_backend="triton"):
        out = torch.compile(lambda x: x.sin() + 1)(x)
else:
    out = torch.compile(lambda x: x.sin() + 1, backend="blockdsl")(x)
torch.testing.assert_close(out, x.sin() + 1)
print(driver.active.get_current_target().backend)
"""


def run(program: str, *arguments: str, path: list[str], **environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*path, *sys.path, str(HERE)]), **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("is_first", [True, False])
def test_environment_requests_the_cpu_beside_another_device(another: str, is_first: bool) -> None:
    # Triton 3.6 queries every driver, in the order in which it has found them.
    path = [another, OURS] if is_first else [OURS, another]
    assert run(CHOSEN, path=path, TRITON_DEFAULT_BACKEND="cpu") == [str(is_first), "get_current_stream", "True"]


@pytest.mark.parametrize("arguments", [[], ["plain"]])
def test_kernels_compiled_by_workers_are_loaded(another: str, arguments: list[str], tmp_path: Path) -> None:
    environment = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"), "TORCHINDUCTOR_COMPILE_THREADS": "2"}
    environment["TRITON_DEFAULT_BACKEND"] = ""
    assert run(GRAPH, *arguments, path=[another], **environment) == ["cuda"]
    # Also from their cache, where nothing is compiled.
    assert run(GRAPH, *arguments, path=[another], **environment) == ["cuda"]
