"""The CPU code is made for, as our passes see it.

Two questions are kept apart. Which CPU the compiler aims at is LLVM's to say (backends/cpu.py). Whether a cached kernel
fits this machine must be answered without loading LLVM; for that the operating system's description is enough.
"""

from __future__ import annotations

import functools
import platform
from dataclasses import dataclass

from blockdsl import _runtime
from blockdsl.backends import cpu
from blockdsl.backends.cpu import CPU

# Features that decide which code our passes emit; LLVM gets all of them.
_PASS_FEATURES = (
    "avx2",
    "fma",
    "f16c",
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "avx512bf16",
    "avx512fp16",
    "avx512vnni",
    "avxvnni",
    "avxvnniint8",
    "amx-tile",
    "amx-bf16",
    "amx-int8",
    "neon",
    "sve",
    "bf16",
    "dotprod",
    "i8mm",
)


@dataclass(frozen=True)
class Target(CPU):
    """A CPU, and what our passes make of it."""

    @staticmethod
    @functools.cache
    def host() -> Target:
        """The CPU we run on, as far as the system lets us use it."""
        here = cpu.host()
        features = here.features
        if "+amx-tile" in features and not _runtime.request_tile_registers():
            features = tuple(name.replace("+amx-", "-amx-") for name in features)
        return Target(here.triple, here.cpu, features)

    @property
    def vector_bits(self) -> int:
        """The width of the vectors our passes emit."""
        if "+avx512f" in self.features and "+avx512vl" in self.features:
            return 512
        return 256 if "+avx2" in self.features else 128

    @property
    def pass_features(self) -> str:
        """The features our passes look at, as a pipeline option."""
        present = [f"+{name}" for name in _PASS_FEATURES if f"+{name}" in self.features]
        return f'"{",".join(present)}"'


@functools.cache
def host_identity() -> str:
    """What tells this machine's CPU from others, for the cache: model and features as the system lists them.

    Whoever asks may run what the cache holds for this machine, so tile registers are asked for here, too.
    """
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            identity = _first_processor(file.read(16384))
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    if "amx_tile" in identity and not _runtime.request_tile_registers():
        identity += ";no tile registers"
    return identity


def _first_processor(text: str) -> str:
    """The lines of the first processor that do not change from one moment to the next."""
    lasting = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU implementer",
               "CPU architecture", "CPU variant", "CPU part")  # fmt: skip
    block = text.split("\n\n", 1)[0]
    pairs = (line.partition(":") for line in block.splitlines())
    found = [f"{name.strip()}={value.strip()}" for name, _, value in pairs if name.strip() in lasting]
    return f"{platform.machine()};" + ";".join(found)
