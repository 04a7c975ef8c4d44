"""Stub libraries of an old glibc, so that wheels run on systems that are older than the machine that builds them.

A linker binds each symbol to the newest version that a library has: modules that are linked against Debian 12's glibc
need version 2.36, though the functions that they call are much older. The package ziglang knows the symbols of every
glibc, and generates libraries that have nothing else.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GLIBC = "2.28"
"""That of RHEL 8 and Debian 10, and the oldest that wheels of torch and llvmlite run with."""
ZIGLANG = "ziglang==0.17.1"


def make_stubs(folder: Path, machine: str) -> Path:
    """Returns a directory with the stubs for a machine, below ``folder``. A complete one is kept."""
    stubs = folder / f"glibc-{GLIBC}-{machine}"
    if not stubs.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            unfinished = Path(temporary) / "stubs"
            _write(unfinished, Path(temporary), machine)
            unfinished.rename(stubs)
    return stubs


def _write(stubs: Path, temporary: Path, machine: str) -> None:
    packages, cache, source = temporary / "packages", temporary / "cache", temporary / "empty.c"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", packages, ZIGLANG], check=True
    )
    source.touch()
    # Zig generates the libraries for the first program that is linked, in its cache.
    subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "-target", f"{machine}-linux-gnu.{GLIBC}", "-shared",
         "-fno-sanitize=undefined", "-o", temporary / "empty.so", source],
        env={"PYTHONPATH": str(packages), "ZIG_GLOBAL_CACHE_DIR": str(cache)}, cwd=temporary, check=True,
    )  # fmt: skip
    stubs.mkdir()
    names = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libc_nonshared.a")
    for name in names:
        (found,) = cache.glob(f"o/*/{name}")
        shutil.copy(found, stubs)
    (stubs / "libm.so").symlink_to("libm.so.6")
    # Since 2.34 glibc's threads and dynamic loader are in libc.
    (stubs / "libc.so").write_text("INPUT(libc.so.6 libdl.so.2 libpthread.so.0 libc_nonshared.a)\n")
