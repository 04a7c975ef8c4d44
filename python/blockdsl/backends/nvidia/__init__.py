"""Compilation of a kernel's text to a cubin, with Triton's NVIDIA pipeline. Neither a GPU nor its driver is needed.

Triton is imported in a subprocess (../worker.py), and only when something is compiled. Its version is determined
without importing it, so that kernels from the disk cache start without Triton.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockdsl import knobs
from blockdsl.backends.nvidia import triton_stages
from blockdsl.backends.worker import Died, Pool, Worker
from blockdsl.errors import TargetError

VERSIONS = ("3.6", "3.7", "3.8", "3.9")
"""The Triton versions whose text can be printed. Later versions get the text of the last one."""

_HINT = "pip install 'blockdsl[triton]'"


@dataclass(frozen=True)
class Toolchain:
    """The installed Triton.

    Attributes:
        version: Its version.
        dialect: The version that text is printed for.
        identity: A key that covers the installation and the environment variables that change Triton's compilation.
    """

    version: str
    dialect: str
    identity: tuple[str, ...]


def toolchain() -> Toolchain:
    """Returns the Triton on Python's path.

    Raises:
        TargetError: Triton is not installed, or is too old.
    """
    spec = importlib.util.find_spec("triton")
    if spec is None or spec.origin is None:
        raise TargetError("compiling for CUDA needs Triton 3.6 or later, and none is installed", hint=_HINT)
    package = Path(spec.origin).parent
    try:
        found = re.search(r"^__version__ = ['\"]([^'\"]+)", Path(spec.origin).read_text(encoding="utf-8"), re.MULTILINE)
        library = next(package.glob("_C/libtriton*"))
        status = os.stat(library)
    except (OSError, StopIteration):
        found = None
    if found is None:
        raise TargetError(f"the Triton in {package} is not complete", hint=_HINT)
    version = found[1]
    stamp = f"{package}:{status.st_size}:{status.st_mtime_ns}"
    return Toolchain(version, _dialect(version), (version, stamp, *knobs.TRITON.found()))


def _dialect(version: str) -> str:
    numbers = [int(part) for part in re.findall(r"\d+", version)[:2]]
    if numbers < [3, 6]:
        raise TargetError(f"compiling for CUDA needs Triton 3.6 or later, got {version}", hint=_HINT)
    short = f"{numbers[0]}.{numbers[1]}"
    return short if short in VERSIONS else VERSIONS[-1]


class TritonFailure(Exception):  # noqa: N818 - converted to a user's error later
    """Triton did not compile a text.

    Attributes:
        stage: The failed stage: ``parse``, ``ttir``, ``ttgir``, ``llir``, ``ptx``, ``cubin``; empty if the process
            ended.
        error: The exception's text, or the process's exit status.
        output: Triton's output.
        ptx: The PTX that the assembler rejected.
    """

    def __init__(self, stage: str, error: str, output: str, ptx: str = "") -> None:
        super().__init__(error)
        self.ptx = ptx
        self.stage = stage
        self.error = error
        self.output = output


@dataclass(frozen=True)
class Compiled:
    """The result of a compilation by Triton.

    Attributes:
        product: The last requested stage: the cubin, or text.
        metadata: Metadata for launches: ``name shared num_warps num_ctas global_scratch_size`` and others.
        texts: The earlier stages that were requested.
    """

    product: bytes
    metadata: Mapping[str, Any]
    texts: Mapping[str, str]


_pool = Pool(Path(triton_stages.__file__))
atexit.register(_pool.end)


class Compilation:
    """A subprocess with Triton, which starts while its input is prepared.

    Example:
        compilation = Compilation(toolchain())
        cubin = compilation.run(text, 90, {"num_warps": 4}, "cubin").product
    """

    def __init__(self, chain: Toolchain) -> None:
        self._circumstances = chain.identity
        self._worker: Worker | None = _pool.take(chain.identity)

    def run(
        self, text: str, capability: int, options: Mapping[str, object], last: str, shown: Sequence[str] = ()
    ) -> Compiled:
        """Runs Triton's stages up to ``last``, and returns also the texts of the stages ``shown``.

        Raises:
            TritonFailure: A stage failed.
        """
        worker, self._worker = self._worker, None
        assert worker is not None, "a compilation runs once"
        request = {"capability": capability, "options": dict(options), "last": last, "shown": list(shown)}
        try:
            reply, product, output = worker.ask(request, text.encode())
        except Died as death:
            worker.end()
            if not death.was_idle:
                raise TritonFailure("", death.how, death.output) from None
            worker = _pool.start()
            reply, product, output = worker.ask(request, text.encode())
        _pool.give_back(self._circumstances, worker)
        if "error" in reply:
            raise TritonFailure(reply["stage"], reply["error"], output, reply["texts"].get("ptx", ""))
        return Compiled(product, reply["metadata"], reply["texts"])

    def abandon(self) -> None:
        """Returns the process to the pool without compiling."""
        if self._worker is not None:
            _pool.give_back(self._circumstances, self._worker)
            self._worker = None
