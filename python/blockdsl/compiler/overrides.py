"""Stages that files replace: ``BLOCKDSL_OVERRIDE_DIR``.

A file has the name under which the stage is dumped, in our layout or in Triton's, or the kernel's name alone, and then
replaces the stage for all types and constants. Its contents are part of the program's identity, so caches distinguish
overridden kernels.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockdsl import knobs
from blockdsl.backends import cpu
from blockdsl.compiler import cache, ownership
from blockdsl.compiler.dumps import file_names
from blockdsl.compiler.program import Extent, Override, Program, override_parts, text_of
from blockdsl.compiler.signature import Signature
from blockdsl.errors import CompilationError, Loc, Location, TypeMismatchError, printable
from blockdsl.forks import cached_property

if TYPE_CHECKING:
    from blockdsl.mlir import ir

STAGES = ("ttir", "nests", "loops", "llir")

_FUNCTION = "void (ptr, i64, i64, ptr)"
"""The type of the function that a launch calls. ARCHITECTURE.md lists its parameters."""

_SCRATCH = "blockdsl.scratch"


@dataclass(frozen=True)
class OverriddenProgram:
    """A program some of whose stages come from files.

    Attributes:
        program: The overridden program.
        overrides: The files, by stage.
    """

    program: Program
    overrides: Mapping[str, Override]

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def location(self) -> str:
        return self.program.location

    @property
    def signature(self) -> Signature:
        return self.program.signature

    @property
    def sources(self) -> list[Extent]:
        # A file of the first stage has its own locations.
        return [] if "ttir" in self.overrides else self.program.sources

    @property
    def parameter_indices(self) -> tuple[int, ...] | None:
        return getattr(self.program, "parameter_indices", None)

    @cached_property
    def identity(self) -> str:
        return cache.digest("overridden", self.program.identity, *override_parts(self.overrides))

    def module(self, context: Any) -> ir.Module:
        made = self.program.module(context)
        file = self.overrides.get("ttir")
        return made if file is None else read_module(file, made, context)


def later_stages(program: Program) -> dict[str, Override]:
    """Returns the files that replace stages after the program's own module, by stage."""
    overrides: Mapping[str, Override] = getattr(program, "overrides", {})
    return {stage: file for stage, file in overrides.items() if stage != "ttir"}


def read_module(file: Override, made: ir.Module, context: Any) -> ir.Module:
    """Returns the module of a file that replaces ``made``.

    Raises:
        KernelSyntaxError: The text is no module, with the location in the file.
        TypeMismatchError: The module's kernel has another name or other parameters.
    """
    from blockdsl.mlir import ir
    from blockdsl.mlir.signature import kernel_signature

    module = ir.Module.parse(file.text, context, file.path)
    with Loc(Location(file.path, 1, 1)):
        signatures = [kernel_signature(each) for each in (made, module)]
    (name, expected), (actual_name, actual) = ((function, _parameters(arguments)) for function, arguments in signatures)
    if (name, expected) != (actual_name, actual):
        raise TypeMismatchError(
            f"'{file.path}' is expected to hold kernel '{name}' with parameters ({', '.join(expected)}), got "
            f"'{actual_name}' with ({', '.join(actual)})",
            location=Location(file.path, 1, 1),
            hint="keep the kernel's name and the types of its parameters as they were dumped",
        )
    return module


def _parameters(arguments: Any) -> list[str]:
    # The scratch memory parameter is not an argument of the launch.
    return [spelling + f" {{{_SCRATCH}}}" * (_SCRATCH in attributes) for spelling, attributes, _ in arguments]


def check_llvm_ir(file: Override, kernel: str) -> None:
    """Raises CompilationError, with the location in the file, if LLVM cannot read a file."""
    fault = cpu.fault_of(file.text)
    if fault is None:
        return
    found = re.search(r"<string>:(\d+):(\d+): error: (.*)", fault)
    line, column, message = (int(found[1]), int(found[2]), found[3]) if found else (1, 1, " ".join(fault.split()))
    location = Location(file.path, line, column, function=kernel)
    raise CompilationError(f"LLVM cannot read the file: {message}", location=location)


def check_function(file: Override, kernel: str, llvm_ir: str) -> None:
    """Raises TypeMismatchError unless the LLVM module of a file, or compiled from it, defines the function that a
    launch calls."""
    actual = cpu.type_of(llvm_ir, kernel)
    if actual != _FUNCTION:
        raise TypeMismatchError(
            f"'{file.path}' is expected to define function '{kernel}' of type {_FUNCTION}, got {actual or 'none'}",
            location=Location(file.path, 1, 1),
            hint="keep the function's name, type and attributes as they were dumped",
        )


def overridden(program: Program, key: str, stages: Sequence[str] = STAGES) -> Program:
    """Returns the program with the stages that files replace."""
    directory = knobs.OVERRIDE_DIR.get()
    if directory is None or isinstance(program, OverriddenProgram):
        return program
    found: dict[str, Override] = {}
    for stage in stages:
        for name in file_names(program, key):
            path = directory / f"{name}.{stage}"
            if path.is_file() and _is_ours(directory, path):
                print(f"blockdsl: kernel '{program.name}' is overridden with {path}", file=sys.stderr)
                # The file may have been edited since an error showed a line of it.
                linecache.checkcache(str(path))
                found[stage] = Override(printable(str(path)), text_of(path))
                break
    return OverriddenProgram(program, found) if found else program


def _is_ours(directory: Path, path: Path) -> bool:
    """Returns whether no other user may write to a file and its directories; else warns."""
    found = ownership.foreign((directory, path.parent, path))
    if found is not None:
        ownership.warn_once(f"{found[0]} overrides no kernel ({found[1]})", "use a directory of your own")
    return found is None


def files_that_override() -> list[str]:
    """Returns paths and contents of all files in the directory, for caches with keys of their own."""
    directory = knobs.OVERRIDE_DIR.get()
    if directory is None:
        return []
    paths = sorted(path for stage in STAGES for path in directory.rglob(f"*.{stage}")
                   if path.is_file() and _is_ours(directory, path))  # fmt: skip
    return [part for path in paths for part in (str(path), text_of(path))]
