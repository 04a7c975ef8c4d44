"""Packs the sources into dist/, and builds a wheel from what was packed, where nothing else of the clone is.

make sdist                      # the wheel is linked with the libraries of build/, so that this takes a minute
make sdist ARGS=--compile-all   # and compiles all of it, as a user's `pip install blockdsl-*.tar.gz` does
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from scikit_build_core.build import build_sdist

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = (".ci/", ".git", ".pre-commit-config.yaml")


def tracked() -> list[str]:
    """Returns the names of the tracked files that exist."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def lacking(archive: Path, names: list[str]) -> list[str]:
    """Returns those of the files that belong into the archive and are not there."""
    with tarfile.open(archive) as packed:
        there = {name.partition("/")[2] for name in packed.getnames()}
    return [name for name in names if not name.startswith(LEFT_OUT) and name not in there]


def build_wheel(archive: Path, compile_all: bool) -> str:
    """Returns the name of a wheel that was built in an empty directory."""
    with tempfile.TemporaryDirectory(prefix="blockdsl-sdist-") as home:
        settings = {} if compile_all else {"SKBUILD_CMAKE_DEFINE": f"BLOCKDSL_LIBRARIES={ROOT / 'build'}"}
        # Without the clone's variables; of a directory without `git` the sources alone are seen.
        environment = {**os.environ, "SKBUILD_BUILD_DIR": f"{home}/build", **settings}
        environment.pop("PYTHONPATH", None)
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", home]
        subprocess.run([*command, archive], env=environment, cwd=home, check=True)
        (wheel,) = Path(home).glob("*.whl")
        return wheel.name


def main() -> None:
    """Pack, compare with the tracked files, build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile-all", action="store_true", help="do not link the libraries of build/")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    archive = ROOT / "dist" / build_sdist("dist")
    if names := lacking(archive, tracked()):
        sys.exit(f"sdist: {archive.name} lacks {', '.join(names)}")
    print(f"sdist: {archive.name}, {archive.stat().st_size / 1e6:.1f} MB", flush=True)
    print(f"sdist: builds {build_wheel(archive, arguments.compile_all)}")


if __name__ == "__main__":
    main()
