"""Targets of code generation: the current CPU, as our passes see it, or a generation of NVIDIA's GPUs.

LLVM determines the CPU to compile for (backends/cpu.py). Whether a cached kernel fits this machine is decided without
loading LLVM, from the operating system's description of the CPU.
"""

from __future__ import annotations

import functools
import platform
import re
from dataclasses import dataclass

from blockdsl import _runtime, knobs
from blockdsl.backends import cpu
from blockdsl.backends.cpu import CPU
from blockdsl.errors import TargetError

# The features that our passes use; LLVM gets all features.
_PASS_FEATURES = (
    "sse2",
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


# The levels of the x86-64 ABI and Armv8.0, with the features that our passes use.
_V1 = ("sse2",)
_V3 = (*_V1, "avx2", "fma", "f16c")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512dq", "avx512vl")
_BASELINES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "x86-64": ("x86_64-unknown-linux-gnu", "x86-64", _V1),
    "x86-64-v2": ("x86_64-unknown-linux-gnu", "x86-64-v2", _V1),
    "x86-64-v3": ("x86_64-unknown-linux-gnu", "x86-64-v3", _V3),
    "x86-64-v4": ("x86_64-unknown-linux-gnu", "x86-64-v4", _V4),
    "aarch64": ("aarch64-unknown-linux-gnu", "generic", ("neon",)),
}


@dataclass(frozen=True)
class Target(CPU):
    """A CPU with the properties that our passes use."""

    @staticmethod
    @functools.cache
    def host() -> Target:
        """Returns the CPU to compile for: the current one, without features that the system does not let us use, or
        the baseline that ``BLOCKDSL_CPU`` names.

        Raises:
            TargetError: This CPU lacks features of the baseline.
        """
        baseline = _host_baseline()
        if baseline is not None:
            return Target.baseline(baseline)
        detected = cpu.host()
        features = detected.features
        if "+amx-tile" in features and not _runtime.request_tile_registers():
            features = tuple(name.replace("+amx-", "-amx-") for name in features)
        if platform.machine() == "aarch64":
            features = (*features, *_arm_features(host_identity()))
        return Target(detected.triple, detected.cpu, features)

    @staticmethod
    def baseline(name: str) -> Target:
        """Returns any CPU with the features of a level of an ABI."""
        triple, cpu_name, features = _BASELINES[name]
        return Target(triple, cpu_name, tuple(f"+{feature}" for feature in features))

    @property
    def vector_bits(self) -> int:
        """The width of the vectors our passes emit."""
        if "+avx512f" in self.features and "+avx512vl" in self.features:
            return 512
        return 256 if "+avx2" in self.features else 128

    @property
    def pass_features(self) -> str:
        """The features that our passes use, as a pipeline option."""
        present = [f"+{name}" for name in _PASS_FEATURES if f"+{name}" in self.features]
        return f'"{",".join(present)}"'


def parse_cpu(text: object) -> Target:
    """Parses the target of an object file: ``"cpu"`` or ``"cpu:native"`` is the current CPU, ``"cpu:x86-64-v3"`` any
    CPU with the features of this level of the ABI.

    Raises:
        TargetError: The text is no CPU target.
    """
    if text in ("cpu", "cpu:native"):
        host = Target.host()
        # A process must request tile registers from the system before it uses them, which object files do not.
        return Target(host.triple, host.cpu, tuple(name.replace("+amx-", "-amx-") for name in host.features))
    name = text.removeprefix("cpu:") if isinstance(text, str) else ""
    if name not in _BASELINES:
        known = ", ".join(f"'cpu:{each}'" for each in _BASELINES)
        raise TargetError(f"an object file is for 'cpu', the one we run on, or for a baseline, got {text!r}",
                          hint=f"the baselines are {known}")  # fmt: skip
    return Target.baseline(name)


@dataclass(frozen=True)
class CUDA:
    """A generation of NVIDIA's GPUs.

    Attributes:
        capability: Its compute capability, times ten: 90 for Hopper.
    """

    capability: int

    def __str__(self) -> str:
        return f"cuda:{self.capability}"

    @property
    def shared_bytes(self) -> int:
        """The shared memory that one program can have, in bytes."""
        return _SHARED_KILOBYTES.get(self.capability, _SHARED_KILOBYTES[max(_SHARED_KILOBYTES)]) << 10

    @property
    def copies_blocks(self) -> bool:
        """Whether hardware copies blocks of arrays (TMA), for which tensor descriptors are tensor maps."""
        return self.capability >= 90

    @property
    def gathers_rows(self) -> bool:
        """Whether that hardware gathers rows, too. For other GPUs, Triton 3.6 and 3.9 emit code that ptxas rejects."""
        return self.capability // 10 in (10, 11)


# From the table of compute capabilities in NVIDIA's programming guide: "maximum shared memory per thread block".
_SHARED_KILOBYTES = {75: 64, 80: 163, 86: 99, 87: 163, 89: 99, 90: 227, 100: 227, 103: 227, 110: 227, 120: 99, 121: 99}


def parse(text: object) -> CUDA | None:
    """Parses a target: ``"cpu"``, ``"cuda:90"``, or a ``GPUTarget`` of either. Returns None for the CPU.

    Raises:
        TargetError: The target is unknown.
    """
    if hasattr(text, "backend") and hasattr(text, "arch"):
        text = f"{text.backend}:{text.arch}" if text.backend != "cpu" else "cpu"
    if text == "cpu":
        return None
    found = re.fullmatch(r"cuda:(\d+)", text) if isinstance(text, str) else None
    if found is None:
        hint = "write the compute capability without its point: 9.0 is cuda:90"
        if isinstance(text, str) and text.startswith("cpu:"):
            hint = "code for another CPU than this one is written to an object file: compile(..., output='kernel.o')"
        raise TargetError(f"a target is 'cpu' or 'cuda:<capability>' such as 'cuda:90', got {text!r}", hint=hint)
    capability = int(found[1])
    if capability not in _SHARED_KILOBYTES:
        known = ", ".join(map(str, sorted(_SHARED_KILOBYTES)))
        raise TargetError(f"'{text}' is no compute capability we know; known are {known}",
                          hint="9.0 is cuda:90" if capability < 20 else None)  # fmt: skip
    return CUDA(capability)


@functools.cache
def host_identity() -> str:
    """Returns the identity of the CPU to compile for, for the cache: model and features as the system lists them, or
    the baseline that ``BLOCKDSL_CPU`` names.

    Callers may run cached code for this machine, so tile registers are requested here, too.

    Raises:
        TargetError: This CPU lacks features of the baseline.
    """
    baseline = _host_baseline()
    if baseline is not None:
        return f"{baseline};flags={' '.join(_BASELINES[baseline][2])}"
    identity = _system_identity()
    if "amx_tile" in identity and not _runtime.request_tile_registers():
        identity += ";no tile registers"
    return identity


def _host_baseline() -> str | None:
    """Returns the baseline that ``BLOCKDSL_CPU`` names, after a check that this CPU has its features."""
    baseline = knobs.CPU.get()
    if baseline is None:
        return None
    triple, _, needed = _BASELINES[baseline]
    lacking = "" if triple.startswith(platform.machine()) else f"is {platform.machine()}"
    if not lacking and platform.machine() != "aarch64":
        present = _system_identity().replace("=", " ").replace(";", " ").split()
        missing = [feature for feature in needed if feature not in present]
        lacking = f"has no {', '.join(missing)}" if missing else ""
    if lacking:
        raise TargetError(f"{knobs.CPU.name}={baseline} is not for this CPU, which {lacking}",
                          hint=f"unset {knobs.CPU.name}, or name a lower level")  # fmt: skip
    return baseline


def _system_identity() -> str:
    """Returns model and features of this machine's CPU as the system lists them."""
    try:
        # Bytes: a text file in a new encoding imports a module, which takes a tenth of a launch from the cache.
        with open("/proc/cpuinfo", "rb") as file:
            return _first_processor(file.read(16384).decode("ascii", "replace"))
    except OSError:
        return f"{platform.machine()} {platform.processor()}"


def _arm_features(identity: str) -> tuple[str, ...]:
    """Returns the features of an AArch64 CPU that LLVM does not read from the system's list."""
    listed = re.search(r"Features=([^;]*)", identity)
    return ("+dotprod",) if listed and "asimddp" in listed[1].split() else ()


def vector_registers() -> int:
    """Returns the number of vector registers of this CPU, from the features that the system lists."""
    has_32 = platform.machine() == "aarch64" or "avx512f" in host_identity()
    return 32 if has_32 else 16


def _first_processor(text: str) -> str:
    """Returns the constant lines of the first processor, without those such as its current frequency."""
    lasting = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU implementer",
               "CPU architecture", "CPU variant", "CPU part")  # fmt: skip
    block = text.split("\n\n", 1)[0]
    pairs = (line.partition(":") for line in block.splitlines())
    found = [f"{name.strip()}={value.strip()}" for name, _, value in pairs if name.strip() in lasting]
    return f"{platform.machine()};" + ";".join(found)
