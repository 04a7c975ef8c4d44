"""Definitions of environment variables, with parsers and defaults. ``knobs`` exports all of them."""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, cast

T = TypeVar("T")

PREFIX = "BLOCKDSL_"


@dataclass(frozen=True)
class Knob(Generic[T]):
    """One environment variable.

    Attributes:
        name: Its name.
        parse: Parses its text, or raises ValueError.
        default: Its value if it is not set or invalid.
        meaning: A sentence or two for users, in Markdown.
        setting: The possible values for the documentation, unless the meaning lists them.
    """

    name: str
    parse: Callable[[str], T]
    default: Callable[[], T]
    meaning: str
    setting: str = ""

    def get(self) -> T:
        """Returns the current value. Warns about an invalid text and returns the default."""
        text = os.environ.get(self.name)
        if not text:
            return self.default()
        try:
            return self.parse(text)
        except ValueError as error:
            warnings.warn(f"{self.name}={text!r} is ignored: {error}", RuntimeWarning, stacklevel=2)
            return self.default()

    def set(self, text: str) -> None:
        """Sets the variable for this process and its future children."""
        os.environ[self.name] = text


def _flag(text: str) -> bool:
    word = text.strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError("expects 1 or 0")


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 4096:
        raise ValueError("expects a number from 1 to 4096")
    return number


def _place(text: str) -> str:
    if text not in ("here", "process"):
        raise ValueError("expects here or process")
    return text


CPUS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64")
"""The levels of the x86-64 ABI, and Armv8.0."""


def _cpu(text: str) -> str | None:
    if text not in ("native", *CPUS):
        raise ValueError(f"expects native or one of {', '.join(CPUS)}")
    return None if text == "native" else text


def _workers(text: str) -> str:
    if text not in ("auto", "torch", "own"):
        raise ValueError("expects auto, torch or own")
    return text


def _class_of(base: str) -> Callable[[str], type]:
    def parse(text: str) -> type:
        module, colon, name = text.partition(":")
        try:
            found = getattr(importlib.import_module(module), name) if colon else None
        except (ImportError, AttributeError) as error:
            raise ValueError(str(error)) from None
        if not derives(found, base):
            raise ValueError(f"expects module:class, of a class that derives from {base}")
        return cast(type, found)

    return parse


def derives(value: object, base: str) -> bool:
    """Returns whether a value is a class with a base class of this name."""
    # By name, because this module cannot import the base class.
    return isinstance(value, type) and any(each.__name__ == base for each in value.__mro__)


STAGES = ("ttir", "linalg", "nests", "loops", "llvm", "llir", "asm", "handoff", "ttgir", "ptx", "cubin")
"""The stages of kernels for CPUs and for GPUs."""


def _stages(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in (*STAGES, "all"):
            raise ValueError(f"expects stages among {', '.join(STAGES)} and all, got {name}")
    return names


LOGGERS = ("autotuner", "compiler")
"""Names of the loggers below ``blockdsl``."""


def _logs(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    for word in words:
        if word.removeprefix("+").removeprefix("-") not in (*LOGGERS, "all"):
            raise ValueError(f"expects names among {', '.join(LOGGERS)} and all, each perhaps after + or -, got {word}")
    return words


def _existing(text: str) -> Path:
    if not os.path.isdir(text):
        raise ValueError("there is no such directory")
    return Path(text)


def _if_absolute(text: str) -> Path | None:
    # The XDG specification requires that relative paths are ignored.
    return Path(text) if os.path.isabs(text) else None


CACHE_HOME: Knob[Path | None] = Knob(
    "XDG_CACHE_HOME", _if_absolute, lambda: None, "The user's directory for caches; ours is its `blockdsl`."
)


TRITON_CACHE_DIR: Knob[Path | None] = Knob(
    "TRITON_CACHE_DIR", Path, lambda: None, "Triton's directory for its cache; ours is its `blockdsl`, unless "
    "`BLOCKDSL_CACHE_DIR` names another."
)  # fmt: skip


def _default_cache_dir() -> Path | None:
    shared = TRITON_CACHE_DIR.get()
    if shared is not None:
        return shared / "blockdsl"
    base = CACHE_HOME.get()
    if base is not None:
        return base / "blockdsl"
    home = os.path.expanduser("~")
    return None if home == "~" else Path(home) / ".cache" / "blockdsl"


CACHE = Knob("BLOCKDSL_CACHE", _flag, lambda: True, "Whether compiled kernels are kept on disk.", "0")
CACHE_DIR: Knob[Path | None] = Knob(
    "BLOCKDSL_CACHE_DIR", Path, _default_cache_dir, "The directory in which compiled kernels are kept."
)
COMPILE = Knob(
    "BLOCKDSL_COMPILE",
    _place,
    lambda: "here",
    "Process in which kernels for the CPU are compiled: `here`, or a `process` of its own, so that a crash of the "
    "compiler is an error at the kernel.",
    "process",
)
CPU: Knob[str | None] = Knob(
    "BLOCKDSL_CPU",
    _cpu,
    lambda: None,
    "The CPU to compile for: `native`, the current one, or a level of the ABI, `x86-64-v2`, `x86-64-v3` or "
    "`x86-64-v4`. Different machines can share kernels of a level in one cache. Read at the first launch.",
    "x86-64-v3",
)
DUMP: Knob[tuple[str, ...]] = Knob(
    "BLOCKDSL_DUMP",
    _stages,
    tuple,
    "Stages to write to files, for every kernel: `ttir`, `linalg`, `nests`, `loops`, `llvm`, `llir`, `asm`, or `all`. "
    "Kernels of the cache are then compiled again.",
    "ttir,linalg",
)
DUMP_DIR = Knob(
    "BLOCKDSL_DUMP_DIR", Path, lambda: Path("blockdsl-dump"), "The directory to which `BLOCKDSL_DUMP` writes."
)
FULL_TRACEBACK = Knob(
    "BLOCKDSL_FULL_TRACEBACK",
    _flag,
    lambda: False,
    "Whether the traceback of an error keeps the package's own frames, and the errors that it was raised from.",
    "1",
)
INTERPRET = Knob(
    "BLOCKDSL_INTERPRET",
    _flag,
    lambda: False,
    "Whether kernels run as Python, for a debugger; accesses outside of the arguments' memory are then errors.",
    "1",
)
TRITON_ALWAYS_COMPILE = Knob(
    "TRITON_ALWAYS_COMPILE", _flag, lambda: False, "Triton's own: whether kernels are compiled again although they are "
    "kept on disk.", "1",
)  # fmt: skip
TRITON_DEFAULT_FP_FUSION = Knob(
    "TRITON_DEFAULT_FP_FUSION", _flag, lambda: True, "Triton's own: whether a multiplication and an addition may "
    "become one operation where `enable_fp_fusion` is not given.", "0",
)  # fmt: skip
TRITON_F32_DEFAULT: Knob[str | None] = Knob(
    "TRITON_F32_DEFAULT", str, lambda: None, "Triton's own: the `input_precision` of float32 matmuls that do not name "
    "one, on GPUs.", "ieee",
)  # fmt: skip
TRITON_FORCE_DISABLE_FP_FUSION = Knob(
    "TRITON_FORCE_DISABLE_FP_FUSION", _flag, lambda: False, "Triton's own: whether multiplication and addition stay "
    "two operations even with `enable_fp_fusion=True`.", "1",
)  # fmt: skip
TRITON_HOME = Knob(
    "TRITON_HOME", Path, lambda: Path(os.path.expanduser("~")), "Triton's own: its `.triton` has the default "
    "directories for dumps and overrides.",
)  # fmt: skip
TRITON_KERNEL_DUMP = Knob(
    "TRITON_KERNEL_DUMP", _flag, lambda: False, "Triton's own: whether every stage of a kernel that is compiled is "
    "written as `KERNEL.ttir` and so on, in a directory of `TRITON_DUMP_DIR` for what it is compiled for.", "1",
)  # fmt: skip
MLIR_ENABLE_DUMP = Knob(
    "MLIR_ENABLE_DUMP", str, lambda: "", "As Triton has it: `1` prints each MLIR stage of a kernel that is compiled, "
    "`ttir` to `llvm`, to the standard error; the name of a kernel prints those of that one.", "1",
)  # fmt: skip
LLVM_IR_ENABLE_DUMP = Knob(
    "LLVM_IR_ENABLE_DUMP", _flag, lambda: False, "As Triton has it: whether a kernel's LLVM IR is printed to the "
    "standard error, before LLVM optimizes it and after that.", "1",
)  # fmt: skip
TRITON_REPRODUCER_PATH: Knob[Path | None] = Knob(
    "TRITON_REPRODUCER_PATH", Path, lambda: None, "Triton's own: a file, to which each kernel is written before it is "
    "lowered, with the pipeline: `blockdsl-opt --run-reproducer FILE` lowers it again.",
)  # fmt: skip
TRITON_DUMP_DIR = Knob(
    "TRITON_DUMP_DIR", Path, lambda: TRITON_HOME.get() / ".triton" / "dump", "Triton's own: see `TRITON_KERNEL_DUMP`."
)
TRITON_KERNEL_OVERRIDE = Knob(
    "TRITON_KERNEL_OVERRIDE", _flag, lambda: False, "Triton's own: whether `TRITON_OVERRIDE_DIR` is "
    "`BLOCKDSL_OVERRIDE_DIR`, too, for kernels of stock Triton as well.", "1",
)  # fmt: skip
TRITON_OVERRIDE_DIR = Knob(
    "TRITON_OVERRIDE_DIR", Path, lambda: TRITON_HOME.get() / ".triton" / "override", "Triton's own: see "
    "`TRITON_KERNEL_OVERRIDE`.",
)  # fmt: skip
OVERRIDE_DIR: Knob[Path | None] = Knob(
    "BLOCKDSL_OVERRIDE_DIR",
    _existing,
    lambda: TRITON_OVERRIDE_DIR.get() if TRITON_KERNEL_OVERRIDE.get() else None,
    "A directory with edited stages, which replace those that the compiler makes: `KERNEL.ttir`, for CPUs also "
    "`KERNEL.nests`, `KERNEL.loops` and `KERNEL.llir`. A file under its name of a dump (with Triton's directory, if "
    "`TRITON_KERNEL_DUMP` wrote it) replaces the stage for the same target and arguments only. Keep no files there "
    "that are not edited.",
)
NUM_THREADS: Knob[int | None] = Knob(
    "BLOCKDSL_NUM_THREADS", _count, lambda: None, "The most threads that a launch uses; torch's number if absent."
)
LOGS: Knob[tuple[str, ...]] = Knob(
    "BLOCKDSL_LOGS",
    _logs,
    tuple,
    "Messages to print to the standard error: of the `compiler` (each kernel that is compiled or taken from the disk "
    "cache, with the time), of the `autotuner` (its choices), or of `all`. `+compiler` prints times of stages and "
    "remarks, too, and `-compiler` errors only. Python's `logging` has them under `blockdsl.compiler` and so on. Read "
    "at the import.",
    "compiler,autotuner",
)
PRINT_AUTOTUNING = Knob(
    "BLOCKDSL_PRINT_AUTOTUNING",
    _flag,
    lambda: False,
    "Whether autotune prints its choice, and the time of the search.",
    "1",
)
WORKERS = Knob(
    "BLOCKDSL_WORKERS",
    _workers,
    lambda: "auto",
    "Threads that run a launch: torch's OpenMP workers (`torch`), our own (`own`), or torch's while they are awake "
    "(`auto`).",
)
TRITON_DEFAULT_BACKEND: Knob[str | None] = Knob(
    "TRITON_DEFAULT_BACKEND",
    str,
    lambda: None,
    "Triton's own: with `cpu`, kernels of stock Triton run on the CPU even if there is a GPU.",
    "cpu",
)

TRITON_CACHE_AUTOTUNING = Knob(
    "TRITON_CACHE_AUTOTUNING", _flag, lambda: False, "Triton's own: whether autotune keeps its choices on disk where "
    "`cache_results` is not given.", "1",
)  # fmt: skip
TRITON_CACHE_MANAGER: Knob[type | None] = Knob(
    "TRITON_CACHE_MANAGER", _class_of("CacheManager"), lambda: None, "Triton's own: a class, as `module:class`, that "
    "keeps compiled kernels in place of our files; `runtime.cache` has its base, Triton's own that of a class which "
    "keeps kernels of stock Triton, too.",
)  # fmt: skip
TRITON_DEBUG = Knob(
    "TRITON_DEBUG", _flag, lambda: False, "Triton's own: whether `device_assert` is checked on GPUs, as with "
    "`debug=True`.", "1",
)  # fmt: skip
TRITON_REDIS_HOST = Knob(
    "TRITON_REDIS_HOST", str, lambda: "localhost", "Triton's own: the server of `runtime.RedisRemoteCacheBackend`."
)
TRITON_REDIS_KEY_FORMAT = Knob(
    "TRITON_REDIS_KEY_FORMAT", str, lambda: "triton:{key}:{filename}", "Triton's own: the names of files there."
)
TRITON_REDIS_PORT = Knob("TRITON_REDIS_PORT", int, lambda: 6379, "Triton's own: the server's port.")
TRITON_REMOTE_CACHE_BACKEND: Knob[type | None] = Knob(
    "TRITON_REMOTE_CACHE_BACKEND", _class_of("RemoteCacheBackend"), lambda: None, "Triton's own: a class, as "
    "`module:class`, that `runtime.cache.RemoteCacheManager` uses.",
)  # fmt: skip

ALL: tuple[Knob[object], ...] = tuple(
    sorted(
        (value for value in list(globals().values()) if isinstance(value, Knob)),
        key=lambda knob: (not knob.name.startswith(PREFIX), knob.name),
    )
)
"""blockdsl's own variables, followed by variables that other programs read, too."""


@dataclass(frozen=True)
class Family:
    """Variables of other programs with common prefixes.

    Attributes:
        prefixes: The prefixes.
        besides: Names with these prefixes that are excluded.
        meaning: A sentence for users, in Markdown.
    """

    prefixes: tuple[str, ...]
    besides: tuple[str, ...]
    meaning: str

    def found(self) -> tuple[str, ...]:
        """Returns the variables that are set, as ``NAME=value``."""
        return tuple(
            f"{name}={value}"
            for name, value in sorted(os.environ.items())
            if name.startswith(self.prefixes) and name not in self.besides
        )


# Variables about caching do not change the code.
TRITON = Family(
    ("TRITON_", "MLIR_", "LLVM_", "NVPTX_", "PTXAS_", "DISABLE_", "USE_IR_LOC"),
    (
        "TRITON_CACHE_DIR",
        "TRITON_HOME",
        "TRITON_KERNEL_DUMP",
        "TRITON_DUMP_DIR",
        "TRITON_KERNEL_OVERRIDE",
        "TRITON_OVERRIDE_DIR",
        "TRITON_CACHE_AUTOTUNING",
        "TRITON_CACHE_MANAGER",
        "TRITON_REDIS_HOST",
        "TRITON_REDIS_KEY_FORMAT",
        "TRITON_REDIS_PORT",
        "TRITON_REMOTE_CACHE_BACKEND",
    ),
    "Variables of Triton's compiler, its LLVM and its assembler: kernels for GPUs are compiled again if one of these "
    "differs.",
)

FAMILIES = (TRITON,)
