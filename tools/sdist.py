"""Packs the sources into dist/, builds a wheel from what was packed, and installs that editable.

make sdist                      # the wheel is linked with the libraries of build/, so that this takes a minute
make sdist ARGS=--compile-all   # compiles everything, like a user's `pip install blockdsl-*.tar.gz`
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
from pathlib import Path

from scikit_build_core.build import build_sdist

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = (".ci/", ".git", ".pre-commit-config.yaml")


def tracked() -> list[str]:
    """Returns the names of the tracked files that exist."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def lacking(archive: Path, names: list[str]) -> list[str]:
    """Returns the files that the archive should contain and does not."""
    with tarfile.open(archive) as packed:
        there = {name.partition("/")[2] for name in packed.getnames()}
    return [name for name in names if not name.startswith(LEFT_OUT) and name not in there]


PROGRAM = """
import sys
import numpy as np
import blockdsl
import blockdsl.language as tl

assert blockdsl.__file__.startswith(sys.argv[1]), blockdsl.__file__

@blockdsl.jit
def double(x_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at))

x = np.arange(4)
double[(1,)](x, N=4)
assert x.tolist() == [0, 2, 4, 6], x
"""
"""Program for the editable installation: it checks that the package is imported from the sources."""


def run(command: list[str | Path], home: Path, compile_all: bool) -> None:
    """Runs a command in a directory, without the variables of the clone, and with one build directory for all."""
    settings = {} if compile_all else {"SKBUILD_CMAKE_DEFINE": f"BLOCKDSL_LIBRARIES={ROOT / 'build'}"}
    environment = {**os.environ, "SKBUILD_BUILD_DIR": str(home / "build"), **settings}
    environment.pop("PYTHONPATH", None)
    subprocess.run(command, env=environment, cwd=home, check=True)


def build(archive: Path, home: Path, compile_all: bool) -> str:
    """Builds a wheel of the unpacked archive, installs that editable, runs a kernel; returns the name of the wheel."""
    with tarfile.open(archive) as packed:
        packed.extractall(home, filter="data")
    source = home / archive.name.removesuffix(".tar.gz")
    pip: list[str | Path] = ["-m", "pip", "--disable-pip-version-check"]
    options: list[str | Path] = ["-q", "--no-deps", "--no-build-isolation"]
    run([sys.executable, *pip, "wheel", *options, "--wheel-dir", home, source], home, compile_all)
    (wheel,) = home.glob("*.whl")
    venv.create(home / "env", with_pip=True)
    (packages,) = (home / "env" / "lib").glob("python*/site-packages")
    # Build and run-time dependencies come from this environment.
    (packages / "shared.pth").write_text(sysconfig.get_path("purelib"))
    python = home / "env" / "bin" / "python"
    run([python, *pip, "install", *options, "--editable", source], home, compile_all)
    run([python, "-c", PROGRAM, str(source)], home, compile_all)
    return wheel.name


def main() -> None:
    """Packs the sources, compares the archive with the tracked files, and builds it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile-all", action="store_true", help="do not link the libraries of build/")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    archive = ROOT / "dist" / build_sdist("dist")
    if names := lacking(archive, tracked()):
        sys.exit(f"sdist: {archive.name} lacks {', '.join(names)}")
    print(f"sdist: {archive.name}, {archive.stat().st_size / 1e6:.1f} MB", flush=True)
    with tempfile.TemporaryDirectory(prefix="blockdsl-sdist-") as home:
        wheel = build(archive, Path(home), arguments.compile_all)
    print(f"sdist: builds {wheel}, and runs where it is installed editable")


if __name__ == "__main__":
    main()
