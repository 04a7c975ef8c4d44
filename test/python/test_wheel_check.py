"""Tests of wheels that the check refuses. ``make wheel`` covers good ones: it builds and runs them."""

from __future__ import annotations

import importlib.util
import platform
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAG = f"{sys.version_info.major}{sys.version_info.minor}"
MODULES = [f"blockdsl/{name}.cpython-{TAG}-{platform.machine()}-linux-gnu.so" for name in ("_native", "_runtime")]
METADATA = """Version: 0.1.0
Requires-Dist: llvmlite==0.50.*
Requires-Dist: numpy
Requires-Dist: torch>=2.6; extra == 'torch'
"""


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


check = tool("check_wheel")
wheel = tool("wheel")


LINKED = sorted(path.name for path in (ROOT / "licenses").iterdir())
LICENSES = [
    f"blockdsl-0.1.0.dist-info/licenses/{name}" for name in ("LICENSE", *(f"licenses/{name}" for name in LINKED))
]
ENTRY_POINTS = """
[console_scripts]
blockdsl = blockdsl.__main__:main
blockdsl-opt = blockdsl.mlir.opt:main

[torch_dynamo_backends]
blockdsl = blockdsl.torch_compile:compile_graph

[triton.backends]
cpu = blockdsl_triton
"""
TYPES = ["blockdsl/py.typed", "blockdsl/_native.pyi", "blockdsl/_runtime.pyi"]


def archive(
    folder: Path,
    *more: str,
    modules: list[str] = MODULES,
    glibc: str = "manylinux_2_28",
    licenses: list[str] = LICENSES,
    types: list[str] = TYPES,
    entry_points: str = ENTRY_POINTS,
    version: str = "3.9.0+blockdsl.0.1.0",
) -> Path:
    path = folder / f"blockdsl-0.1.0-cp{TAG}-cp{TAG}-{glibc}_x86_64.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in (*modules, *types, *more):
            file.writestr(name, b"")
        file.writestr("blockdsl/__init__.py", f'__version__ = "{version}"\n')
        for name in licenses:
            file.writestr(name, b"Do what you like.")
        file.writestr("blockdsl-0.1.0.dist-info/METADATA", METADATA)
        file.writestr("blockdsl-0.1.0.dist-info/entry_points.txt", entry_points)
    return path


def test_a_good_archive_passes(tmp_path: Path) -> None:
    assert check.check_archive(archive(tmp_path)) == "0.0 MB, 0.0 MB unpacked"


def test_a_bundled_library_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(check.WheelFaultError, match=r"libzstd"):
        check.check_archive(archive(tmp_path, "blockdsl.libs/libzstd.so.1"))


@pytest.mark.parametrize("missing", [*LINKED, "LICENSE"])
def test_a_missing_licence_is_a_fault(tmp_path: Path, missing: str) -> None:
    licenses = [name for name in LICENSES if not name.endswith(missing)]
    with pytest.raises(check.WheelFaultError, match=r"expected the licences .*LLVM.txt.*, got"):
        check.check_archive(archive(tmp_path, licenses=licenses))


@pytest.mark.parametrize("missing", TYPES)
def test_missing_types_are_a_fault(tmp_path: Path, missing: str) -> None:
    with pytest.raises(check.WheelFaultError, match=rf"missing \['{missing}'\]"):
        check.check_archive(archive(tmp_path, types=[name for name in TYPES if name != missing]))


@pytest.mark.parametrize(
    "missing", ["blockdsl-opt = ", "blockdsl = blockdsl.__main__", "blockdsl = blockdsl.torch", "cpu = "]
)
def test_a_missing_entry_point_is_a_fault(tmp_path: Path, missing: str) -> None:
    lines = [line for line in ENTRY_POINTS.splitlines() if not line.startswith(missing)]
    with pytest.raises(check.WheelFaultError, match=r"expected the entry points .*'blockdsl_triton'.*, got"):
        check.check_archive(archive(tmp_path, entry_points="\n".join(lines)))


@pytest.mark.parametrize("version", ["3.9.0+blockdsl.0.2.0", "0.1.0"])
def test_two_versions_are_a_fault(tmp_path: Path, version: str) -> None:
    with pytest.raises(check.WheelFaultError, match=r"expected one version in METADATA and .*, got \('0.1.0', "):
        check.check_archive(archive(tmp_path, version=version))


def test_the_module_of_another_python_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(check.WheelFaultError, match=r"expected .*_native.*, got .*cpython-39"):
        check.check_archive(archive(tmp_path, modules=[*MODULES, "blockdsl/_native.cpython-39-x86_64-linux-gnu.so"]))


def test_a_wheel_of_unknown_glibc_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(check.WheelFaultError, match=r"glibc 2\.28"):
        check.check_archive(archive(tmp_path, glibc="linux"))


def test_a_hundred_megabytes_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "LIMIT", 10)
    with pytest.raises(check.WheelFaultError, match="at most 10 bytes"):
        check.check_archive(archive(tmp_path))


def test_libraries_of_a_module_are_named(tmp_path: Path) -> None:
    listed = check.shared_libraries(next((ROOT / "python" / "blockdsl").glob("_runtime.*.so")))
    assert "libc" in listed
    assert listed <= check.SYSTEM


def test_non_python_executable_is_refused() -> None:
    assert wheel.probe("/bin/false").fault == "does not run"
    with pytest.raises(SystemExit, match="none-such is not there"):
        wheel.named_pythons(["none-such"])
    assert wheel.probe(sys.executable).version == f"{sys.version_info.major}.{sys.version_info.minor}"
