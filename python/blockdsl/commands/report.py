"""Facts about an installation for bug reports: versions, CPU and GPUs, threads, Triton's driver, the disk cache."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import blockdsl
from blockdsl import _runtime, knobs
from blockdsl.compiler.target import Target

_PACKAGES = ("llvmlite", "numpy", "torch", "triton")

_DRIVER = (
    "import triton; target = triton.runtime.driver.active.get_current_target(); print(target.backend, target.arch)"
)


def version() -> str:
    """Returns blockdsl's version, and the Triton version whose language it implements."""
    language, _, own = blockdsl.__version__.partition("+blockdsl.")
    return f"blockdsl {own}, the language of Triton {language}"


def lines() -> Iterator[str]:
    """Yields the report, one subject per line."""
    libc = " ".join(platform.libc_ver())
    yield f"python    {platform.python_version()} ({platform.python_implementation()}), {platform.platform()}, {libc}"
    versions = [f"{name} {_installed(name) or '-'}" for name in _PACKAGES]
    yield f"packages  {', '.join(versions)}"
    cpu = Target.host()
    present = [name[1:] for name in cpu.features if name.startswith("+")]
    yield f"cpu       {cpu.cpu}, vectors of {cpu.vector_bits} bits: {' '.join(present)}"
    count = len(os.sched_getaffinity(0))
    yield f"threads   at most {_runtime.get_num_threads()} on {count} CPUs"
    capabilities = [_runtime.cuda_capability(device) for device in range(_runtime.cuda_device_count())]
    yield f"gpus      {', '.join(f'cuda:{each}' for each in capabilities) or 'none'}"
    yield f"driver    {_driver()}"
    yield f"cache     {_cache()}"


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _driver() -> str:
    """Returns the target of Triton's active driver. A subprocess imports Triton, because the import may fail."""
    if _installed("triton") is None:
        return "none without triton"
    try:
        done = subprocess.run([sys.executable, "-c", _DRIVER], capture_output=True, text=True, timeout=60)  # noqa: S603
    except subprocess.TimeoutExpired:
        return "no answer of triton within a minute"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return f"of triton: {done.stdout.strip()}"


def _cache() -> str:
    path = knobs.CACHE_DIR.get()
    if path is None or not knobs.CACHE.get():
        return "off"
    sizes = [file.stat().st_size for file in Path(path).rglob("*") if file.is_file()]
    return f"{path}, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"
