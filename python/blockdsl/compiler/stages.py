"""Stages of a compilation for the CPU, in order.

    ttir -> linalg -> nests -> loops -> llvm -> llir -> asm

lib/Pipelines/CPU.cpp lists the passes between two stages; ``blockdsl-opt`` runs each pipeline by the same name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockdsl.compiler.aliases import Aliases
from blockdsl.compiler.dumps import Watch
from blockdsl.compiler.options import Options
from blockdsl.compiler.overrides import check_function, check_llvm_ir, read_module
from blockdsl.compiler.program import Override
from blockdsl.compiler.reproducer import reproducer
from blockdsl.compiler.target import Target
from blockdsl.errors import CompilationError

if TYPE_CHECKING:
    from blockdsl.mlir import ir

STAGES = ("ttir", "linalg", "nests", "loops", "llvm", "llir", "asm")

# The stage that a pipeline produces, and its name.
_PIPELINES = (
    ("linalg", "blockdsl-to-linalg"),
    ("nests", "blockdsl-to-nests"),
    ("loops", "blockdsl-to-loops"),
    ("llvm", "blockdsl-to-llvm"),
)

# The two halves of the first pipeline. The variant is chosen between them.
_FLATTEN, _FLAT_TO_LINALG = "blockdsl-flatten", "blockdsl-flat-to-linalg"

_NO_ALIASES = Aliases()
_NO_FILES: Mapping[str, Override] = {}


@dataclass(frozen=True)
class Accesses:
    """Memory accesses of a kernel, as the launcher needs them. Parameters are indices of run-time parameters.

    Attributes:
        written: Parameters that the kernel stores through.
        narrow: Parameters whose offsets are computed in 32 bits and may wrap, with their source locations.
        formulas: Formulas of the offsets of loads and stores, in the format of Runtime/AccessCode.h.
        locations: The location of each of these accesses.
    """

    written: tuple[int, ...] = ()
    narrow: tuple[tuple[int, str], ...] = ()
    formulas: tuple[int, ...] = ()
    locations: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Lowered:
    """The result of a lowering.

    Attributes:
        llvm_ir: The kernel's module for LLVM.
        options: The options it is compiled with.
        accesses: Its memory accesses.
        scratch_bytes: Memory each thread needs.
        remarks: Kind, name, category, text and location of each remark of the passes.
    """

    llvm_ir: str
    options: Options
    accesses: Accesses
    scratch_bytes: int
    remarks: tuple[Any, ...] = ()


def lower(
    make: Callable[[Any], ir.Module],
    target: Target,
    options: Options,
    watch: Watch,
    aliases: Aliases = _NO_ALIASES,
    check: Callable[[ir.Module, ir.Context], None] | None = None,
    files: Mapping[str, Override] = _NO_FILES,
) -> Lowered:
    """Lowers the module that ``make`` builds in a context from ``ttir`` to LLVM IR.

    ``aliases`` determine the options, with the parameters that the kernel stores through. ``check`` gets the module in
    the LLVM dialect. ``files`` replace stages after ``ttir``.
    """
    from blockdsl.mlir import ir, translate
    from blockdsl.mlir.signature import kernel_signature

    context = ir.Context()
    module = make(context)
    watch("ttir", lambda: str(module))

    def reproduce(pipelines: Sequence[tuple[str, str]]) -> Callable[[Options], None]:
        names = [name for _, name in pipelines]
        return reproducer(lambda: module.operation.get_asm(enable_debug_info=True), names, target)

    write_reproducer = reproduce(_PIPELINES)
    write_reproducer(options)

    remarks: list[Any] = []

    def run(pipeline: str, produced: str) -> None:
        try:
            remarks.extend(_run(f"{pipeline}{flags}", module, context))
        except CompilationError as error:
            if error.dump is None:
                _attach_reproducer(error, make, target, options, files, produced)
            raise

    (first, _), *remaining = _PIPELINES
    flags = options.pipeline(target)
    run(_FLATTEN, first)
    accesses = _accesses(module)
    kernel, _ = kernel_signature(module)
    settled = aliases.settle(options, accesses.written)
    if settled != options:
        options, flags = settled, settled.pipeline(target)
        write_reproducer(options)
    for index, (produced, pipeline) in enumerate(((first, _FLAT_TO_LINALG), *remaining), 1):
        run(pipeline, produced)
        file = files.get(produced)
        if file is not None:
            module = read_module(file, module, context)
            reproduce(_PIPELINES[index:])(options)
        watch(produced, partial(str, module if file is None else file.text))
    if check is not None:
        check(module, context)
    scratch = module.operation.attributes.get("blockdsl.scratch_bytes")
    llvm_ir = translate.to_llvm_ir(module)
    for stage, file in files.items():
        if stage == "llir":
            check_llvm_ir(file, kernel)
            llvm_ir = file.text
        check_function(file, kernel, llvm_ir)
    watch("llir", lambda: llvm_ir)
    if files:
        # The accesses of a file are unknown.
        accesses = replace(accesses, formulas=(), locations=())
    return Lowered(llvm_ir, options, accesses, 0 if scratch is None else int(scratch.value), tuple(remarks))


def written(make: Callable[[Any], ir.Module], target: Target, options: Options) -> tuple[int, ...]:
    """Returns the indices of the run-time parameters that a kernel stores through."""
    from blockdsl.mlir import ir

    context = ir.Context()
    module = make(context)
    _run(f"{_FLATTEN}{options.pipeline(target)}", module, context)
    return _accesses(module).written


def _run(pipeline: str, module: ir.Module, context: ir.Context) -> list[Any]:
    """Runs a pipeline and returns its remarks."""
    from blockdsl.mlir import passmanager

    return passmanager.PassManager.parse(f"builtin.module({pipeline})", context).run(module.operation)


def _accesses(module: ir.Module) -> Accesses:
    """Returns the accesses of a flattened module, and removes their formulas, which would lengthen dumps."""
    from blockdsl.mlir.signature import kernel_signature

    _, arguments = kernel_signature(module)
    attributes = [each for _, each, _ in arguments]
    return Accesses(
        tuple(index for index, each in enumerate(attributes) if "blockdsl.written" in each),
        tuple((index, str(each["blockdsl.narrow"].value)) for index, each in enumerate(attributes)
              if "blockdsl.narrow" in each),
        _take_attribute(module, "blockdsl.accesses"),
        _take_attribute(module, "blockdsl.access_locations"),
    )  # fmt: skip


def _take_attribute(module: ir.Module, name: str) -> tuple[Any, ...]:
    """Removes a list from the module's attributes and returns its values."""
    attribute = module.take_attribute(name)
    return () if attribute is None else tuple(attribute.value)


def _attach_reproducer(
    error: CompilationError,
    make: Callable[[Any], ir.Module],
    target: Target,
    options: Options,
    files: Mapping[str, Override],
    failed: str,
) -> None:
    """Writes the module that a pipeline failed on to a file, and adds the command that repeats it to the error."""
    from blockdsl.mlir import ir

    context = ir.Context()
    module = make(context)
    flags = options.pipeline(target)
    for produced, pipeline in _PIPELINES:
        if produced == failed:
            break
        _run(f"{pipeline}{flags}", module, context)
        if produced in files:
            module = ir.Module.parse(files[produced].text, context, files[produced].path)
    name = dict(_PIPELINES)[failed]
    before = STAGES[STAGES.index(failed) - 1]
    try:
        directory = tempfile.mkdtemp(prefix="blockdsl-")
        path = Path(directory) / f"kernel.{before}.mlir"
        path.write_text(str(module), encoding="utf-8")
    except OSError:
        return
    error.dump = str(path)
    flags = flags.strip("{}").replace('"', "")
    error.command = f"blockdsl-opt '--{name}={flags}' {path}"
