"""Stages that are taken from files in place of what the compiler makes: ``BLOCKDSL_OVERRIDE_DIR``.

A file has the name under which the stage is dumped, by us or as Triton does, or the kernel's name alone, and then
stands for it whatever it is compiled for. What is in it is a part of the program's identity, so no cache mistakes one
for the other.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockdsl import knobs
from blockdsl.backends import cpu
from blockdsl.compiler import cache, ownership
from blockdsl.compiler.dumps import file_names
from blockdsl.compiler.program import Override, Program, TextProgram, text_of
from blockdsl.compiler.signature import Signature
from blockdsl.compiler.stages import Lowered
from blockdsl.errors import CompilationError, Loc, Location, TypeMismatchError, printable
from blockdsl.forks import cached_property

if TYPE_CHECKING:
    from blockdsl.mlir import ir

STAGES = ("ttir", "llir")


@dataclass(frozen=True)
class OverriddenProgram:
    """A program some of whose stages are files'."""

    program: Program
    ttir: Override | None
    llir: Override | None

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def place(self) -> str:
        return self.program.place

    @property
    def signature(self) -> Signature:
        return self.program.signature

    @property
    def places(self) -> tuple[int, ...] | None:
        return getattr(self.program, "places", None)

    @cached_property
    def identity(self) -> str:
        texts = [each.text if each else "" for each in (self.ttir, self.llir)]
        return cache.digest("overridden", self.program.identity, *texts)

    def module(self, context: Any) -> ir.Module:
        from blockdsl.mlir import ir
        from blockdsl.mlir.signature import kernel_signature

        made = self.program.module(context)
        if self.ttir is None:
            return made
        module = ir.Module.parse(self.ttir.text, context, self.ttir.path)
        with Loc(Location(self.ttir.path, 1, 1)):
            read = [kernel_signature(each) for each in (made, module)]
        (name, wanted), (met_name, met) = ((called, _types(arguments)) for called, arguments in read)
        if (name, wanted) != (met_name, met):
            raise TypeMismatchError(
                f"'{self.ttir.path}' is expected to hold kernel '{name}' with parameters ({', '.join(wanted)}), got "
                f"'{met_name}' with ({', '.join(met)})",
                location=Location(self.ttir.path, 1, 1),
                hint="keep the kernel's name and the types of its parameters as they were dumped",
            )
        return module


def llir_of(program: Program) -> Override | None:
    """The file with LLVM's module, where there is one."""
    return program.llir if isinstance(program, (OverriddenProgram, TextProgram)) else None


def with_file(lowered: Lowered, override: Override | None, kernel: str) -> Lowered:
    """What the stages leave, with LLVM's module from a file where there is one.

    Raises:
        CompilationError: LLVM cannot read it, at its place in the file.
        TypeMismatchError: It does not define the function that a launch calls.
    """
    if override is None:
        return lowered
    fault = cpu.fault_of(override.text)
    if fault is not None:
        found = re.search(r"<string>:(\d+):(\d+): error: (.*)", fault)
        line, column, said = (int(found[1]), int(found[2]), found[3]) if found else (1, 1, " ".join(fault.split()))
        place = Location(override.path, line, column, function=kernel)
        raise CompilationError(f"LLVM cannot read the file: {said}", location=place)
    wanted, met = (cpu.type_of(text, kernel) for text in (lowered.llvm_ir, override.text))
    if wanted != met:
        raise TypeMismatchError(
            f"'{override.path}' is expected to define function '{kernel}' of type {wanted}, got {met or 'none'}",
            location=Location(override.path, 1, 1),
            hint="keep the function's name and type as they were dumped",
        )
    # The accesses of the file are unknown.
    return replace(lowered, llvm_ir=override.text, accesses=replace(lowered.accesses, formulas=(), places=()))


def _types(arguments: Any) -> list[str]:
    return [spelling for spelling, _, _ in arguments]


def overridden(program: Program, key: str) -> Program:
    """The program, with the stages that there are files for."""
    directory = knobs.OVERRIDE_DIR.get()
    if directory is None or isinstance(program, OverriddenProgram):
        return program
    found: dict[str, Override] = {}
    for stage in STAGES:
        for name in file_names(program, key):
            path = directory / f"{name}.{stage}"
            if path.is_file() and _is_ours(directory, path):
                print(f"blockdsl: kernel '{program.name}' is overridden with {path}", file=sys.stderr)
                found[stage] = Override(printable(str(path)), text_of(path))
                break
    return OverriddenProgram(program, found.get("ttir"), found.get("llir")) if found else program


def _is_ours(directory: Path, path: Path) -> bool:
    """Whether nobody else may write to a file, and to the directories that it lies in. Warns otherwise."""
    found = ownership.foreign((directory, path.parent, path))
    if found is not None:
        ownership.warn_once(f"{found[0]} overrides no kernel ({found[1]})", "use a directory of your own")
    return found is None


def files_that_override() -> list[str]:
    """What is in the files of the directory, for whoever keeps kernels by a key of his own."""
    directory = knobs.OVERRIDE_DIR.get()
    if directory is None:
        return []
    paths = sorted(path for stage in STAGES for path in directory.rglob(f"*.{stage}")
                   if path.is_file() and _is_ours(directory, path))  # fmt: skip
    return [part for path in paths for part in (str(path), text_of(path))]
