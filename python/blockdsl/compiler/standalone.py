"""Kernels as object files with a C header, for C programs without blockdsl."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from blockdsl import _runtime
from blockdsl.backends import cpu, stack_frames
from blockdsl.backends.exports import Export
from blockdsl.compiler import c_header, stages
from blockdsl.compiler.compile_thread import on_compile_thread, on_deep_stack
from blockdsl.compiler.compiled_kernel import collector_paused
from blockdsl.compiler.cpu_kernel import checked_stack
from blockdsl.compiler.crash_report import with_crash_report
from blockdsl.compiler.options import Options
from blockdsl.compiler.program import Program
from blockdsl.compiler.target import Target
from blockdsl.errors import CompilationError, LaunchError, TargetError
from blockdsl.errors.source_locations import caller

if TYPE_CHECKING:
    from blockdsl.mlir import ir


@dataclass(frozen=True)
class ObjectFile:
    """The result of ``compile(..., output=...)``.

    Attributes:
        name: The name of the kernel and of its C function.
        path: The object file.
        header: The C header beside it.
        scratch_bytes: Scratch memory that each thread needs.
        stack_bytes: Stack that a call needs, at most 256 KiB.
    """

    name: str
    path: Path
    header: Path
    scratch_bytes: int
    stack_bytes: int


@dataclass(frozen=True)
class Standalone:
    """A kernel's object code that depends only on libm.

    Attributes:
        name: The kernel's name; the code's functions are ``<name>`` and ``<name>_programs``.
        code: The object file's bytes.
        header: The text of the C header that declares the functions.
        parameters: The functions' parameters before the grid.
        scratch_bytes: As in ``ObjectFile``.
        stack_bytes: As in ``ObjectFile``.
    """

    name: str
    code: bytes
    header: str
    parameters: tuple[c_header.Parameter, ...]
    scratch_bytes: int
    stack_bytes: int


_C_LIBRARY = frozenset(("aligned_alloc", "free", "memcpy", "memmove", "memset"))
# Functions of compiler runtimes for conversions of half precision that a CPU does not have.
_CONVERSIONS = frozenset(("__extendhfsf2", "__truncdfhf2", "__truncsfhf2"))


def write_object(program: Program, options: Options, target: Target, output: Path) -> ObjectFile:
    """Compiles a kernel, and writes the object and its header.

    Raises:
        LaunchError: The name of the output, or of the kernel in C, is invalid.
        TargetError: The kernel needs blockdsl's runtime, at its line.
        OSError: The files cannot be written.
    """
    if output.suffix not in (".o", ".obj"):
        raise LaunchError(
            f"output is expected to be the name of an object file, got '{output}'",
            location=caller(),
            hint="such as 'kernel.o'; 'kernel.h' is written beside it",
        )
    made = make(program, options, target)
    header = output.with_suffix(".h")
    output.write_bytes(made.code)
    header.write_text(made.header, encoding="utf-8")
    return ObjectFile(made.name, output, header, made.scratch_bytes, made.stack_bytes)


def make(program: Program, options: Options, target: Target) -> Standalone:
    """Compiles a kernel.

    Raises:
        LaunchError: The kernel's name is no valid name of a C function.
        TargetError: The kernel needs blockdsl's runtime, at its line.
    """
    _check_name(program.name)
    return on_deep_stack(_made, program, options, target)


def _check_name(name: str) -> None:
    if not c_header.is_usable(name) or name in _C_LIBRARY or name in _runtime.symbols():
        raise LaunchError(
            f"kernel '{name}' is expected to have a name that a function of a C program may have",
            location=caller(),
            hint="no keyword, no letters but those of ASCII, and no function of the C library or of libm",
        )


@collector_paused()
def _made(program: Program, options: Options, target: Target) -> Standalone:
    name, location = program.name, program.location
    lowered = with_crash_report(
        name, location, "llir", stages.lower, program.module, target, options, lambda _stage, _text: None, check=_check
    )
    found = c_header.parameters(program.signature, lowered.accesses.written)
    export = Export(name, tuple(each.argument for each in found), lowered.scratch_bytes)
    code = on_compile_thread(with_crash_report, name, location, "asm", cpu.emit_object, lowered.llvm_ir, target, export)
    missing = stack_frames.undefined(code) - _C_LIBRARY - _CONVERSIONS - _math()
    if missing:
        raise CompilationError(
            f"the object of kernel '{name}' needs {', '.join(sorted(missing))}, which is not in libm"
        )
    stack = checked_stack(program, code)
    text = c_header.header(
        name,
        found,
        cpu=f"{target.cpu} ({target.triple})",
        restrict=options.disjoint,
        scratch_bytes=lowered.scratch_bytes,
        stack_bytes=stack,
    )
    return Standalone(name, code, text, found, lowered.scratch_bytes, stack)


def _math() -> frozenset[str]:
    """Returns the functions of libm that a kernel may call."""
    return frozenset(name for name in _runtime.symbols() if not name.startswith(("_", "blockdsl_")))


def _check(module: ir.Module, context: ir.Context) -> None:
    """Raises TargetError for operations that need blockdsl's runtime."""
    from blockdsl.mlir import passmanager

    try:
        passes = passmanager.PassManager.parse("builtin.module(verify-standalone)", context)
        passes.run(module.operation)
    except CompilationError as error:
        hint = "leave it out, or launch the kernel from Python"
        raise TargetError(error.message, location=error.location, calls=error.calls, hint=hint) from None
