"""Compiled kernels: made, kept on disk, launched directly, and shown stage by stage."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from blockdsl import _runtime
from blockdsl.backends import cpu
from blockdsl.compiler import arguments, cache, stages
from blockdsl.compiler.aliases import Aliases
from blockdsl.compiler.options import Options
from blockdsl.compiler.program import Program, Signature
from blockdsl.compiler.target import Target, host_identity
from blockdsl.errors import CompilationError

_NO_ALIASES = Aliases()


class Stages(Mapping[str, str]):
    """The texts of a kernel's stages, by name. They are made when asked for: running a kernel needs none of them."""

    def __init__(self, program: Program, options: Options) -> None:
        self._program = program
        self._options = options
        self._texts: dict[str, str] = {}

    def __getitem__(self, stage: str) -> str:
        if stage not in stages.STAGES:
            raise KeyError(f"{stage!r} is no stage; the stages are {', '.join(stages.STAGES)}")
        target = Target.host()
        if not self._texts:
            texts: dict[str, str] = {}
            stages.lower(self._program.module, target, self._options, lambda name, text: texts.update({name: text()}))
            self._texts = texts
        if stage == "asm" and stage not in self._texts:
            self._texts[stage] = cpu.emit_assembly(self._texts["llir"], target)
        return self._texts[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(stages.STAGES)

    def __len__(self) -> int:
        return len(stages.STAGES)


class CompiledKernel(_runtime.Kernel):
    """Machine code for one kernel, one choice of types and constants, and one set of options.

    Attributes:
        name: The kernel's name.
        asm: The text of every stage: ``ttir linalg vector llvm llir asm``.
        metadata: What was compiled, and how.
        signature: The run-time parameters.

    Example:
        compiled = add[grid](x, y, out, n, BLOCK=1024)
        print(compiled.asm["llir"])
    """

    def __init__(self, program: Program, options: Options, entry: cache.Entry) -> None:
        self.metadata: Mapping[str, object] = entry.metadata
        self.name = str(entry.metadata["name"])
        written = entry.metadata["written"]
        scratch = entry.metadata["scratch_bytes"]
        slots = entry.metadata["slots"]
        if not isinstance(written, list) or not isinstance(slots, list) or not isinstance(scratch, int):
            raise CompilationError(f"the metadata of kernel '{self.name}' is damaged")
        packed = [(int(index), str(encoding)) for index, encoding in slots]
        code: bytes | int = entry.object
        if not cpu.links_itself():
            code, self._linked = cpu.link(entry.object, self.name)
        super().__init__(code, self.name, packed, written, scratch)
        self.program = program
        self.options = options
        self.written = frozenset(written)
        self._written_slots = [at for at, (index, _) in enumerate(packed) if index in self.written]
        self.asm = Stages(program, options)

    @property
    def signature(self) -> Signature:
        return self.program.signature

    def suits(self, options: Options, aliases: Aliases) -> bool:
        """Whether this is what compiling with ``options`` for such arguments would give."""
        return self.options == aliases.settle(options, self._written_slots)

    def __getitem__(self, grid: object) -> Callable[..., CompiledKernel]:
        bound: Callable[..., CompiledKernel] = self._launcher[grid]
        return bound

    @functools.cached_property
    def _launcher(self) -> _runtime.Launcher:
        from blockdsl.compiler.fixed import FixedCPULauncher

        return FixedCPULauncher(self)

    def __repr__(self) -> str:
        return f"<CompiledKernel {self.name}>"


@functools.cache
def build_id() -> str:
    """Tells one build of the compiler from another, by size and time of its files: hashing them would take longer than
    compiling does."""
    package = Path(__file__).parent.parent
    files = [*package.glob("_native*.so"), *package.glob("*/*.py"), *package.glob("*.py")]
    stamps = [f"{file.relative_to(package)}:{status.st_size}:{status.st_mtime_ns}" for file in sorted(files)
              for status in (os.stat(file),)]  # fmt: skip
    return cache.digest(*stamps)


def _key(program: Program, options: Options) -> str:
    return cache.digest(build_id(), program.identity, repr(options), host_identity())


def compile_kernel(program: Program, options: Options, aliases: Aliases = _NO_ALIASES) -> CompiledKernel:
    """Machine code for this machine: from the disk cache, or made now.

    ``aliases`` are those of the arguments at hand. Where the kernel stores through one, they settle the options.
    """
    disk = cache.default()
    if disk is None:
        made, entry = _make(program, options, aliases)
        return CompiledKernel(program, made, entry)

    def find() -> CompiledKernel | None:
        for candidate in aliases.candidates(options):
            entry = disk.load(_key(program, candidate), host_identity())
            kernel = CompiledKernel(program, candidate, entry) if entry is not None else None
            if kernel is not None and kernel.suits(options, aliases):
                return kernel
        return None

    found = find()
    if found is not None:
        return found
    with disk.locked(_key(program, options)):
        found = find()
        if found is not None:
            return found
        made, entry = _make(program, options, aliases)
        disk.store(_key(program, made), host_identity(), entry)
    return CompiledKernel(program, made, entry)


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Keeps Python's garbage collector from walking all of torch while we compile: it took a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_collector_paused()
def _make(program: Program, options: Options, aliases: Aliases) -> tuple[Options, cache.Entry]:
    target = Target.host()
    signature = program.signature
    slots = arguments.slots(signature.names, signature.types)
    dump = stages.dumper(program.name, _key(program, options))
    lowered = stages.lower(program.module, target, options, dump, aliases)
    dump("asm", lambda: cpu.emit_assembly(lowered.llvm_ir, target))
    metadata = {
        "name": program.name,
        "key": _key(program, lowered.options),
        "cpu": target.cpu,
        "alias": lowered.options.alias,
        "streaming_stores": options.streaming,
        "scratch_bytes": lowered.scratch_bytes,
        "slots": [[index, encoding] for index, encoding in slots],
        # The passes count run-time parameters, the launcher counts all.
        "written": [slots[at][0] for at in lowered.written],
    }
    return lowered.options, cache.Entry(metadata, cpu.emit_object(lowered.llvm_ir, target))
