"""Compilation for the CPU in a subprocess, with ``BLOCKDSL_COMPILE=process``.

The front end runs in the parent, because kernels are Python functions. The module is sent as text with source
locations, and machine code is returned. A crash of the subprocess becomes an error at the kernel. Both sides are in
this file: the subprocess calls ``prepare`` and ``answer``.
"""

from __future__ import annotations

import atexit
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from blockdsl import errors
from blockdsl.backends import cpu
from blockdsl.backends.worker import Died, Pool
from blockdsl.compiler import stages
from blockdsl.compiler.aliases import Aliases
from blockdsl.compiler.crash_report import reported_stage, with_crash_report
from blockdsl.compiler.dumps import OPTIMIZED, Dumps, dumper
from blockdsl.compiler.options import Options
from blockdsl.compiler.overrides import later_stages
from blockdsl.compiler.program import Override, Program
from blockdsl.compiler.target import Target
from blockdsl.errors import BlockdslError, CompilationError, Location

_pool = Pool(Path(__file__))
atexit.register(_pool.end)

_CIRCUMSTANCES = "cpu"


def compile_in_subprocess(
    program: Program, options: Options, aliases: Aliases, dumped: Dumps, target: Target
) -> tuple[stages.Lowered, bytes]:
    """Returns the lowered module, without LLVM IR, and the object code.

    Raises:
        BlockdslError: As in this process; a CompilationError if the subprocess ended.
    """
    from blockdsl.mlir import ir

    module = program.module(ir.Context())
    request = {
        "name": program.name,
        "location": program.location,
        "dumps": dumped,
        "kept": tempfile.gettempdir(),
        "target": asdict(target),
        "options": asdict(options),
        "partial": sorted(aliases.partial),
        "leaders": aliases.leaders,
        "files": {stage: asdict(file) for stage, file in later_stages(program).items()},
    }
    text = module.operation.get_asm(enable_debug_info=True).encode()
    worker = _pool.take(_CIRCUMSTANCES)
    try:
        reply, code, output = worker.ask(request, text)
    except Died as death:
        worker.end()
        if not death.was_idle:
            raise _ended(program, death) from None
        worker = _pool.start()
        reply, code, output = worker.ask(request, text)
    _pool.give_back(_CIRCUMSTANCES, worker)
    if any(not start for _, start in dumped):
        sys.stderr.write(output)
    if "error" in reply:
        raise _restored(reply["error"])
    found = reply["accesses"]
    narrow = tuple((index, location) for index, location in found["narrow"])
    accesses = stages.Accesses(tuple(found["written"]), narrow, tuple(found["formulas"]), tuple(found["locations"]))
    return stages.Lowered("", _options(reply["options"]), accesses, reply["scratch_bytes"]), code


def _ended(program: Program, death: Died) -> CompilationError:
    stage = reported_stage(death.output)
    where = f" in stage '{stage}'" if stage else ""
    lines = [line.strip() for line in death.output.splitlines() if line.strip() and not line.startswith("blockdsl:")]
    file, _, line = program.location.rpartition(":")
    return CompilationError(
        f"compiling kernel '{program.name}' ended its process{where}: {death.how}",
        location=Location(file, int(line), 1, function=program.name) if re.fullmatch(r"\d+", line) else None,
        hint="; ".join(lines[:3])[:500] or None,
    )


def _options(given: dict[str, Any]) -> Options:
    return Options(**{**given, "merged": tuple(given["merged"])})


def _described(error: BlockdslError) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "message": error.message,
        "location": error.location and asdict(error.location),
        "calls": [asdict(call) for call in error.calls],
        "hint": error.hint,
        "notes": error.notes,
        "dump": getattr(error, "dump", None),
        "command": getattr(error, "command", None),
    }


def _restored(fields: dict[str, Any]) -> BlockdslError:
    kind: Callable[..., BlockdslError] = getattr(errors, fields["kind"])
    error = kind(
        fields["message"],
        location=fields["location"] and Location(**fields["location"]),
        calls=tuple(Location(**call) for call in fields["calls"]),
        hint=fields["hint"],
    )
    error.notes = tuple(fields["notes"])
    if isinstance(error, CompilationError):
        error.dump, error.command = fields["dump"], fields["command"]
    return error


def prepare() -> None:
    """Loads the compiler in the subprocess, while the front end runs in the parent."""
    from blockdsl import _native

    del _native
    cpu.host()


def answer(request: dict[str, Any], text: bytes) -> tuple[dict[str, Any], bytes]:
    """Compiles in the subprocess."""
    from blockdsl.compiler.compile_thread import on_deep_stack

    try:
        return on_deep_stack(_compile, request, text.decode())
    except BlockdslError as error:
        _keep_dump(error, Path(request["kept"]))
        return {"error": _described(error)}, b""


def _keep_dump(error: BlockdslError, directory: Path) -> None:
    """Moves the module that an error names to a directory that is not removed with the request."""
    if not isinstance(error, CompilationError) or error.dump is None:
        return
    dump = Path(error.dump)
    moved = str(Path(shutil.move(dump.parent, directory)) / dump.name)
    error.command = error.command and error.command.replace(error.dump, moved)
    error.dump = moved


def _compile(request: dict[str, Any], text: str) -> tuple[dict[str, Any], bytes]:
    from blockdsl.mlir import ir

    name, location = request["name"], request["location"]
    given = request["target"]
    target = Target(given["triple"], given["cpu"], tuple(given["features"]))
    aliases = Aliases(frozenset(request["partial"]), tuple(request["leaders"]))
    dump = dumper(request["dumps"])
    lowered = with_crash_report(
        name, location, "llir", stages.lower, lambda context: ir.Module.parse(text, context), target,
        _options(request["options"]), dump, aliases,
        files={stage: Override(**file) for stage, file in request["files"].items()},
    )  # fmt: skip
    dump(OPTIMIZED, lambda: cpu.emit_optimized(lowered.llvm_ir, target))
    dump("asm", lambda: cpu.emit_assembly(lowered.llvm_ir, target))
    code = with_crash_report(name, location, "asm", cpu.emit_object, lowered.llvm_ir, target)
    reply = {
        "options": asdict(lowered.options),
        "accesses": asdict(lowered.accesses),
        "scratch_bytes": lowered.scratch_bytes,
    }
    return reply, code
