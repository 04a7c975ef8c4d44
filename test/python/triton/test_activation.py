"""Tests of the activation of our driver in Triton."""

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
from triton.backends import backends
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

import blockdsl
from blockdsl_triton.driver import CPUDriver

PACKAGE = Path(blockdsl.__file__).parents[1]


class _Elsewhere:
    """A driver of another device."""

    works = True

    @classmethod
    def is_active(cls) -> bool:
        return cls.works


def with_another(monkeypatch: pytest.MonkeyPatch, *, works: bool) -> None:
    monkeypatch.setattr(_Elsewhere, "works", works)
    others = {"other": triton.backends.Backend(object, _Elsewhere), "cpu": backends["cpu"]}
    monkeypatch.setattr(triton.backends, "backends", others)


def run(program: str, **environment: str) -> str:
    """Returns the output of a program, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_backend_is_found_under_the_device_name() -> None:
    assert backends["cpu"].driver is CPUDriver


def test_active_without_another_working_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    with_another(monkeypatch, works=False)
    assert CPUDriver.is_active()


def test_inactive_beside_another_working_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    with_another(monkeypatch, works=True)
    assert not CPUDriver.is_active()


def test_active_on_request_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "cpu")
    with_another(monkeypatch, works=True)
    assert CPUDriver.is_active()


def test_activation_is_scoped() -> None:
    before = driver.active
    with blockdsl.triton.activate() as activation:
        assert isinstance(driver.active, CPUDriver)
        assert driver.active is activation.driver
    assert driver.active is before
    sentinel: Any = object()
    driver.set_active(sentinel)
    activation = blockdsl.triton.activate()
    assert isinstance(driver.active, CPUDriver)
    activation.end()
    assert driver.active is sentinel
    driver.set_active(before)


def test_default_driver_is_ours_without_others() -> None:
    program = (
        "import torch, triton, stock_kernels as stock; from triton.runtime import driver; x = torch.ones(4)\n"
        "driver.set_active(None); driver.reset_active(); stock.add[(1,)](x, x, x, 4, BLOCK=4)\n"
        "import blockdsl; activation = blockdsl.triton.activate(); driver.reset_active()\n"
        "stock.add[(1,)](x, x, x, 4, BLOCK=4); print(driver.active is driver.default, *x.tolist())"
    )
    path = os.pathsep.join([str(Path(stock.__file__).parent), os.environ.get("PYTHONPATH", "")])
    assert run(program, PYTHONPATH=path, CUDA_VISIBLE_DEVICES="") == "True 4.0 4.0 4.0 4.0"


def test_default_driver_is_another_working_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    other: Any = object()
    before, default = driver._active, driver._default
    driver._default = other
    try:
        with blockdsl.triton.activate():
            driver.reset_active()
            assert driver.active is other
    finally:
        driver._default = default
        driver.set_active(before)


def test_backend_listed_by_a_program() -> None:
    program = (
        "import torch, triton, stock_kernels as stock; from triton.backends import Backend, backends\n"
        "from blockdsl_triton.compiler import CPUBackend; from blockdsl_triton.driver import CPUDriver\n"
        "assert 'cpu' not in backends; backends['cpu'] = Backend(CPUBackend, CPUDriver); x = torch.ones(4)\n"
        "stock.add[(1,)](x, x, x, 4, BLOCK=4); y = torch.compile(lambda x: x + 1, backend='blockdsl')(x)\n"
        "print(*y.tolist())"
    )
    path = os.pathsep.join([str(Path(stock.__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = {"PYTHONPATH": path, "TRITON_BACKENDS_IN_TREE": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    assert run(program, **environment) == "3.0 3.0 3.0 3.0"


def test_activation_without_the_entry_point() -> None:
    program = "import blockdsl; blockdsl.triton.activate()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, timeout=300, env={**os.environ, "TRITON_BACKENDS_IN_TREE": "1"},
    )  # fmt: skip
    assert "TargetError: Triton lists no back end 'cpu'" in done.stderr
    assert "hint: unset TRITON_BACKENDS_IN_TREE" in done.stderr


def test_device_is_not_a_number() -> None:
    # Triton's keys of kernels contain it, and a GPU's is a number.
    assert driver.active.get_current_device() == "cpu"
    stock.add[(1,)](torch.ones(4), torch.ones(4), torch.ones(4), 4, BLOCK=4)
    assert "cpu" in stock.add.device_caches


def test_driver_reports_the_device() -> None:
    assert driver.active.get_current_target() == GPUTarget("cpu", 0, 1)
    assert driver.active.get_active_torch_device() == torch.device("cpu")
    # Libraries use the back end's name as that of the device.
    assert torch.device(driver.active.get_current_target().backend) == torch.device("cpu")
    driver.active.utils.set_printf_fifo_size(1 << 20)
    properties = driver.active.utils.get_device_properties("cpu")
    assert properties["multiprocessor_count"] == torch.get_num_threads()
    assert properties["max_shared_mem"] >= 1 << 18
    assert driver.active.map_python_to_cpp_type("*fp32") == "uintptr_t"
    assert driver.active.map_python_to_cpp_type("i64") == "int64_t"
    with pytest.raises(AttributeError):
        driver.active.what_no_version_asks_for()


def test_importing_triton_does_not_import_blockdsl() -> None:
    loaded = run("import triton, sys; print(*sorted(name for name in sys.modules if name.startswith('blockdsl')))")
    assert loaded.split() == [
        "blockdsl_triton",
        *(f"blockdsl_triton.{each}" for each in ("choosing", "compiler", "driver", "importing", "loading")),
    ]


def test_errors_do_not_break_importing_triton(tmp_path: Path) -> None:
    broken = tmp_path / "blockdsl"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise RuntimeError('we are broken')")
    program = "import triton, triton.language as tl; print('imported', 'cpu' in triton.backends.backends)"
    path = os.pathsep.join([str(tmp_path), str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    assert run(program, PYTHONPATH=path) == "imported True"


OTHER_NAMES = """
import sys
from importlib.machinery import PathFinder


class Renamed:
    \"""A Triton in which what we put functions around has other names.\"""

    def find_spec(self, name, path=None, target=None):
        spec = PathFinder.find_spec(name, path) if name.startswith("triton.") else None
        if spec is not None and name in ("triton.runtime.autotuner", "triton.compiler.compiler"):
            execute = spec.loader.exec_module

            def execute_and_rename(module):
                execute(module)
                kind, method = (
                    (module.Autotuner, "prune_configs") if name.endswith("autotuner")
                    else (module.CompiledKernel, "_init_handles")
                )
                setattr(kind, "other_" + method, getattr(kind, method))
                delattr(kind, method)

            spec.loader.exec_module = execute_and_rename
        return spec


sys.meta_path.insert(0, Renamed())
import triton
from triton.backends import Backend, backends
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.runtime import driver


class Works:
    is_active = classmethod(lambda cls: True)


backends["nvidia"] = Backend(backends["nvidia"].compiler, Works)
print(type(driver.active).__name__, type(make_backend(GPUTarget("cuda", 90, 32))).__name__)
"""


def test_unsupported_triton_is_unchanged_for_gpus() -> None:
    assert run(OTHER_NAMES, TRITON_DEFAULT_BACKEND="") == "Works CUDABackend"


def test_decoration_does_not_activate_other_drivers() -> None:
    # Triton's own autotuner reads the driver when a kernel is decorated; there is one.
    program = "import stock_kernels, triton; print(type(triton.runtime.driver.active).__name__)"
    directory = str(Path(stock.__file__).parent)
    path = os.pathsep.join([directory, str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    assert run(program, PYTHONPATH=path, CUDA_VISIBLE_DEVICES="") == "CPUDriver"


BOTH = """
import importlib, os, sys
import torch, blockdsl

FLAGS = os.RTLD_NOW | getattr(os, sys.argv[2])
for name in ("triton._C.libtriton", "blockdsl._native")[:: 1 if sys.argv[1] == "triton" else -1]:
    sys.setdlopenflags(FLAGS)
    if name.startswith("triton"):
        import triton
    importlib.import_module(name)
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_LOCAL)

import stock_kernels as stock
from our_kernels import double

x, out = torch.arange(700.0), torch.zeros(700)
for _ in range(2):
    stock.softmax[(7,)](out, x, 100, BLOCK=128)
    torch.testing.assert_close(out.view(7, 100), x.view(7, 100).softmax(1))
    double[(1,)](x, out, 700, BLOCK=1024)
    assert torch.equal(out, 2 * x)
try:
    double[(1,)](x, out, 700, BLOCK=1000)
except blockdsl.errors.TypeMismatchError:
    print("refused")
"""


@pytest.mark.parametrize("flags", ["RTLD_LOCAL", "RTLD_GLOBAL"])
@pytest.mark.parametrize("first", ["triton", "blockdsl"])
def test_two_compilers_are_loaded_in_any_order(first: str, flags: str, tmp_path: Path) -> None:
    # Triton exports all of another LLVM; symbols that resolve to the wrong one would crash the process.
    (tmp_path / "our_kernels.py").write_text(
        "import blockdsl, blockdsl.language as tl\n\n"
        "@blockdsl.jit\ndef double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
        "    at = tl.arange(0, BLOCK)\n"
        "    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(stock.__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", BOTH, first, flags],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr
