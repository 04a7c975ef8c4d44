"""Dumps of stages to files: the stages that ``BLOCKDSL_DUMP`` names, or all of them with ``TRITON_KERNEL_DUMP``.

``BLOCKDSL_DUMP`` writes one file per kernel, stage and set of options into one directory. ``TRITON_KERNEL_DUMP`` writes
a directory per kernel and choice of types and constants, whose files have the kernel's name; directories of overrides
have the same layout.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from blockdsl import knobs
from blockdsl.compiler import cache
from blockdsl.compiler.program import Program

Printed = Callable[[], "str | bytes"]
Watch = Callable[[str, Printed], None]
"""Called with the name of each stage that is reached, and a function that prints it."""

Dumps = list[tuple[tuple[str, ...], str]]
"""The stages to write, and their path up to the stage's name; an empty path is standard error. Sent to the compiling
subprocess as JSON."""

OPTIMIZED = "optimized llir"
"""Optimized LLVM IR. It is printed with ``LLVM_IR_ENABLE_DUMP`` only, and is no stage."""


def wanted(among: Sequence[str]) -> list[str]:
    """Returns the stages that environment variables request."""
    named = (*knobs.DUMP.get(), *("all",) * knobs.TRITON_KERNEL_DUMP.get())
    return [stage for stage in among if stage in named or "all" in named]


def file_names(program: Program, key: str) -> tuple[str, str, str]:
    """Returns the names of a kernel's files without the stage: ours, Triton's with its directory, and the kernel's name
    alone."""
    # Overrides do not change the names.
    own = getattr(program, "program", program)
    plain = re.sub(r"[^\w.-]", "_", own.name)[:150]
    return f"{plain}-{key[:12]}", f"{cache.base32(cache.digest('stages', own.identity))}/{plain}", plain


def dumps(program: Program, key: str) -> Dumps:
    """Returns the dumps of a program that is compiled under a key."""
    own_name, triton_name, _ = file_names(program, key)
    found: Dumps = []
    if knobs.DUMP.get():
        found.append((knobs.DUMP.get(), str(knobs.DUMP_DIR.get() / own_name)))
    if knobs.TRITON_KERNEL_DUMP.get() and not getattr(program, "is_shown", False):
        found.append((("all",), str(knobs.TRITON_DUMP_DIR.get() / triton_name)))
    ready = [(names, start) for names, start in found if _is_ready(Path(start).parent)]
    printed = _printed(program.name)
    return [*ready, (printed, "")] if printed else ready


def _printed(kernel: str) -> tuple[str, ...]:
    """Returns the stages of a kernel that Triton's variables print to standard error."""
    named = knobs.MLIR_ENABLE_DUMP.get()
    of_mlir = ("ttir", "linalg", "nests", "loops", "llvm") if named in ("1", "true", "on", kernel) else ()
    return (*of_mlir, "llir", OPTIMIZED) if knobs.LLVM_IR_ENABLE_DUMP.get() else of_mlir


def _is_ready(directory: Path) -> bool:
    """Returns whether files can be written there; else warns, here and not in the subprocess that writes them."""
    fault: object = "it may not be written"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fault = error
    else:
        if os.access(directory, os.W_OK):
            return True
    warnings.warn(f"no stages are written to {directory} ({fault})", RuntimeWarning, stacklevel=2)
    return False


def is_compiled_anew(program: Program, dumped: Dumps) -> bool:
    """Returns whether a program is compiled even if a cache has it: only a compilation has stages to write."""
    return bool(dumped) or (knobs.TRITON_ALWAYS_COMPILE.get() and not getattr(program, "is_shown", False))


def dumper(given: Dumps) -> Watch:
    """Returns a function that writes the stages when they are reached."""

    def watch(stage: str, text: Printed) -> None:
        for names, start in given:
            if stage not in names and ("all" not in names or stage == OPTIMIZED):
                continue
            if not start:
                mark = ";" if "llir" in stage else "//"
                sys.stderr.write(f"{mark} -----{mark} IR Dump: {stage} {mark}----- {mark}\n{text()!s}\n")
                continue
            path = Path(f"{start}.{stage}")
            content = text()
            cache.write_whole(path.parent, path.name, content if isinstance(content, bytes) else content.encode())

    return watch
