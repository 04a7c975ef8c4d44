"""The stretches of the corridor, in order, and what each leaves behind: for compiling and showing.

    ttir -> linalg -> vector -> llvm -> llir -> asm

The passes of a stretch are spelled in lib/Pipelines/CPU.cpp; ``blockdsl-opt`` runs each by the same name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockdsl.compiler.aliases import Aliases
from blockdsl.compiler.dumps import Watch
from blockdsl.compiler.options import Options
from blockdsl.compiler.reproducer import reproducer
from blockdsl.compiler.target import Target
from blockdsl.errors import CompilationError

if TYPE_CHECKING:
    from blockdsl.mlir import ir

STAGES = ("ttir", "linalg", "vector", "llvm", "llir", "asm")

# What a pipeline makes, and its name.
_PIPELINES = (("linalg", "blockdsl-to-linalg"), ("vector", "blockdsl-to-vector"), ("llvm", "blockdsl-to-llvm"))

_NO_ALIASES = Aliases()


@dataclass(frozen=True)
class Lowered:
    """What compiling leaves besides machine code.

    Attributes:
        llvm_ir: The kernel's module for LLVM.
        options: Those it was compiled with.
        written: Indices of the run-time parameters that the kernel stores through.
        narrow: Of those whose offsets are computed in 32 bits and may wrap, index and place.
        scratch_bytes: Memory each thread needs.
        accesses: Formulas of the offsets of loads and stores, as Runtime/AccessCode.h says.
        access_places: Where each of these accesses is.
    """

    llvm_ir: str
    options: Options
    written: tuple[int, ...]
    narrow: tuple[tuple[int, str], ...]
    scratch_bytes: int
    accesses: tuple[int, ...] = ()
    access_places: tuple[Any, ...] = ()


def lower(
    make: Callable[[Any], ir.Module],
    target: Target,
    options: Options,
    watch: Watch,
    aliases: Aliases = _NO_ALIASES,
    check: Callable[[ir.Module, ir.Context], None] | None = None,
) -> Lowered:
    """Takes the module that ``make`` builds in a context from ``ttir`` to LLVM IR.

    What a kernel stores through is known half way only, so ``aliases`` settle the options there. ``check`` sees the
    module in the LLVM dialect.
    """
    from blockdsl.mlir import ir, passmanager, translate
    from blockdsl.mlir.signature import kernel_signature

    context = ir.Context()
    module = make(context)
    watch("ttir", lambda: str(module))
    write_reproducer = reproducer(
        lambda: module.operation.get_asm(enable_debug_info=True), [name for _, name in _PIPELINES], target
    )
    write_reproducer(options)
    written: tuple[int, ...] = ()
    narrow: tuple[tuple[int, str], ...] = ()
    accesses: tuple[int, ...] = ()
    access_places: tuple[Any, ...] = ()
    for produced, pipeline in _PIPELINES:
        passes = f"builtin.module({pipeline}{options.pipeline(target)})"
        try:
            passmanager.PassManager.parse(passes, context).run(module.operation)
        except CompilationError as error:
            if error.dump is None:
                _say_how_to_repeat(error, make, target, options, produced)
            raise
        if produced == "linalg":
            _, arguments = kernel_signature(module)
            written = _marked_as_written(arguments)
            narrow = tuple(
                (index, str(attributes["blockdsl.narrow"].value))
                for index, (_, attributes, _) in enumerate(arguments)
                if "blockdsl.narrow" in attributes
            )
            # They are long, and say nothing to who reads the stages.
            accesses, access_places = _taken(module, "blockdsl.accesses"), _taken(module, "blockdsl.access_locations")
            options = aliases.settle(options, written)
            write_reproducer(options)
        watch(produced, lambda: str(module))
    if check is not None:
        check(module, context)
    scratch = module.operation.attributes.get("blockdsl.scratch_bytes")
    llvm_ir = translate.to_llvm_ir(module)
    watch("llir", lambda: llvm_ir)
    scratch_bytes = 0 if scratch is None else int(scratch.value)
    return Lowered(llvm_ir, options, written, narrow, scratch_bytes, accesses, access_places)


def written(make: Callable[[Any], ir.Module], target: Target, options: Options) -> tuple[int, ...]:
    """Indices of the run-time parameters that a kernel stores through: what ``lower`` finds on its way."""
    from blockdsl.mlir import ir, passmanager
    from blockdsl.mlir.signature import kernel_signature

    context = ir.Context()
    module = make(context)
    _, pipeline = _PIPELINES[0]
    passmanager.PassManager.parse(f"builtin.module({pipeline}{options.pipeline(target)})", context).run(
        module.operation
    )
    return _marked_as_written(kernel_signature(module)[1])


def _taken(module: ir.Module, name: str) -> tuple[Any, ...]:
    """The values of a list among the module's attributes, which is removed."""
    attribute = module.take_attribute(name)
    return () if attribute is None else tuple(attribute.value)


def _marked_as_written(arguments: Sequence[tuple[str, Mapping[str, Any], str]]) -> tuple[int, ...]:
    return tuple(index for index, (_, attributes, _) in enumerate(arguments) if "blockdsl.written" in attributes)


def _say_how_to_repeat(
    error: CompilationError, make: Callable[[Any], ir.Module], target: Target, options: Options, failed: str
) -> None:
    """Writes the module that a pipeline failed on to a file, and names the command that shows it."""
    from blockdsl.mlir import ir, passmanager

    context = ir.Context()
    module = make(context)
    for produced, pipeline in _PIPELINES:
        if produced == failed:
            break
        passmanager.PassManager.parse(f"builtin.module({pipeline}{options.pipeline(target)})", context).run(
            module.operation
        )
    name = dict(_PIPELINES)[failed]
    before = STAGES[STAGES.index(failed) - 1]
    try:
        directory = tempfile.mkdtemp(prefix="blockdsl-")
        path = Path(directory) / f"kernel.{before}.mlir"
        path.write_text(str(module), encoding="utf-8")
    except OSError:
        return
    error.dump = str(path)
    flags = options.pipeline(target).strip("{}").replace('"', "")
    error.command = f"blockdsl-opt '--{name}={flags}' {path}"
