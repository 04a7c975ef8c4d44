"""Compilation of a tt module by Triton, with errors mapped to the kernel's lines.

    ttir -> handoff -> ttgir -> llir -> ptx -> cubin

blockdsl produces ``handoff``: one kernel without calls, as text for the installed Triton version. All later stages are
Triton's pipeline, including its first stage.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blockdsl.backends import nvidia
from blockdsl.backends.nvidia import diagnostics
from blockdsl.compiler.dumps import Watch, wanted
from blockdsl.compiler.options import CUDA_DEFAULTS, CUDAOptions
from blockdsl.compiler.target import CUDA
from blockdsl.errors import BlockdslError, CompilationError
from blockdsl.language.target_info import GPUTarget, compiling_for

if TYPE_CHECKING:
    from blockdsl.mlir import ir

STAGES = ("ttir", "handoff", "ttgir", "llir", "ptx", "cubin")


# Messages that MLIR's pass manager adds to those of a pass.
_GENERIC = ("Failures have been detected while processing an MLIR pass pipeline", "Pipeline failed while executing")


def hand_over(
    make: Callable[[Any], ir.Module], target: CUDA, options: CUDAOptions, dialect: str, watch: Watch
) -> tuple[Any, str]:
    """Returns the module that is handed to Triton, and its text."""
    from blockdsl.mlir import ir, passmanager, print_tt

    context = ir.Context()
    with compiling_for(GPUTarget("cuda", target.capability, 32)):
        module = make(context)
    watch("ttir", lambda: str(module))
    # For GPUs that do not copy blocks in hardware, Triton splits descriptors itself.
    rows = target.gathers_rows or not target.copies_blocks
    given = {"debug": str(options.debug).lower(), "version": dialect, "gathers-rows": str(rows).lower()}
    passes = f"blockdsl-to-handoff{{{' '.join(f'{name}={value}' for name, value in given.items())}}}"
    passmanager.PassManager.parse(f"builtin.module({passes})", context).run(module.operation)
    text = print_tt(module, dialect, locations=True)
    watch("handoff", lambda: text)
    return module, text


def compile_module(
    make: Callable[[Any], ir.Module],
    target: CUDA,
    options: CUDAOptions,
    chain: nvidia.Toolchain,
    watch: Watch,
    last: str = "cubin",
) -> nvidia.Compiled:
    """Compiles the module that ``make`` builds in a context to the stage ``last``, with the Triton of ``chain``.

    Raises:
        BlockdslError: The kernel is invalid, or Triton rejects it; at the kernel's line, if that is known.
    """
    compilation = nvidia.Compilation(chain)
    try:
        module, text = hand_over(make, target, options, chain.dialect, watch)
    except BaseException:
        compilation.abandon()
        raise
    try:
        made = compilation.run(text, target.capability, asdict(options), last, wanted(STAGES[2:]))
    except nvidia.TritonFailure as failure:
        raise _as_error(failure, module, text, target, options, chain) from None
    for stage, text in made.texts.items():
        watch(stage, text.__str__)
    watch(last, lambda: made.product if last == "cubin" else made.product.decode())
    return made


def _as_error(
    failure: nvidia.TritonFailure, module: Any, text: str, target: CUDA, options: CUDAOptions, chain: nvidia.Toolchain
) -> BlockdslError:
    """Returns the error for a text that Triton did not compile."""
    from blockdsl.mlir.diagnostics import error_of

    printed = [*diagnostics.printed(failure.output), *diagnostics.assembled(failure.error, failure.ptx)]
    found = [_with_location(each, module) for each in printed if not each.message.startswith(_GENERIC)]
    where = f"in stage '{failure.stage}'" if failure.stage else "and ended its process"
    prefix = f"Triton {chain.version} failed {where}"
    if any(each[0] == "error" for each in found):
        error = error_of("run", found)
        error.message = f"{prefix}: {error.message}"
    else:
        error = CompilationError(
            f"{prefix}: {failure.error}", hint=None if failure.ptx else _last_lines(failure.output)
        )
    if isinstance(error, CompilationError):
        _attach_reproducer(error, text, target, options)
    return error


def _with_location(each: diagnostics.Printed, module: Any) -> Any:
    """Returns a diagnostic as ``error_of`` takes it, without a location if it is not in the kernel's file."""
    from blockdsl import _native

    nearest: tuple[Any, ...] = ("", 0, 0, 0, "", ())
    for file, line, column in reversed(each.locations):
        location = _native.find_place(module, file, line, column)
        # An op that begins at the column is preferred over one on the same line of an inner location.
        if location is not None and (location[0] == column or nearest[1] == 0):
            nearest = (file, line, *location)
    return (each.severity, each.message, *nearest)


def _last_lines(output: str) -> str | None:
    """Returns the last lines of output that are no module, such as an assertion's or LLVM's message."""
    lines = [line.strip() for line in output.splitlines() if re.match(r"[A-Za-z/]", line) and "MLIR pass" not in line]
    return "; ".join(lines[-3:])[:500] or None


def _attach_reproducer(error: CompilationError, text: str, target: CUDA, options: CUDAOptions) -> None:
    """Writes Triton's input to a file, and adds the command that reproduces the failure to the error."""
    try:
        path = Path(tempfile.mkdtemp(prefix="blockdsl-")) / "kernel.handoff.ttir"
        path.write_text(text, encoding="utf-8")
    except OSError:
        return
    given = "".join(f", {name}={value!r}" for name, value in _chosen(options).items())
    error.dump = str(path)
    error.command = "python -c " + shlex.quote(f'import blockdsl; blockdsl.compile("{path}", target="{target}"{given})')


def _chosen(options: CUDAOptions) -> Mapping[str, object]:
    return {name: value for name, value in asdict(options).items() if value != CUDA_DEFAULTS[name]}
