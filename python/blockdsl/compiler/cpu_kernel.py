"""Kernels compiled for the host CPU."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from blockdsl import _runtime, knobs
from blockdsl.backends import cpu, stack_frames
from blockdsl.compiler import cache, entries, stages
from blockdsl.compiler.aliases import Aliases
from blockdsl.compiler.compile_listener import Stopwatch
from blockdsl.compiler.compile_thread import on_compile_thread
from blockdsl.compiler.compiled_kernel import (
    CompiledKernel,
    Keep,
    Metadata,
    Stages,
    Text,
    build_id,
    collector_paused,
    find_or_compile,
)
from blockdsl.compiler.crash_report import with_crash_report
from blockdsl.compiler.dumps import OPTIMIZED, Dumps, dumper, dumps, is_compiled_anew
from blockdsl.compiler.kept_locations import KeptLocations
from blockdsl.compiler.options import CUDA_DEFAULTS, Options
from blockdsl.compiler.overrides import later_stages, overridden
from blockdsl.compiler.program import Program, TextProgram
from blockdsl.compiler.remarks import Remark, read
from blockdsl.compiler.signature import first_slots
from blockdsl.compiler.target import Target, host_identity, vector_registers
from blockdsl.errors import CompilationError, Location, OutOfResourcesError
from blockdsl.errors.memory_shortage import check_space, reporting_shortage
from blockdsl.errors.program_errors import Place
from blockdsl.language.target_info import CPU as CPU_TARGET

_NO_ALIASES = Aliases()


_MOST_STACK = 256 << 10
"""In bytes. Threads with 512 KiB of stack launch kernels, too."""


class CPUKernel(CompiledKernel, _runtime.Kernel):
    """Machine code for the host CPU.

    Attributes:
        stack_bytes: The stack that a launch needs on each thread, at most 256 KiB.
        scratch_bytes: The scratch memory that a launch allocates for each thread; threads keep it.
        written: The indices of the parameters stored through.
        narrow: The indices of the parameters with 32-bit offsets that may wrap, and their source locations when the
            kernel was compiled.
        remarks: The compiler's decisions about the kernel, with the kernel's lines.
    """

    options: Options
    n_spills = 0
    n_max_threads = 1

    def __init__(self, program: Program, options: Options, entry: cache.Entry) -> None:
        defaults = {name: CUDA_DEFAULTS[name] for name in ("num_warps", "num_stages", "num_ctas")}
        metadata = {**defaults, "shared": 1, "target": CPU_TARGET, "warp_size": 1, **entry.metadata}
        self.metadata = Metadata.of(program, options, metadata)
        self.name = str(entry.metadata["name"])
        written = entry.metadata["written"]
        scratch = entry.metadata["scratch_bytes"]
        stack = entry.metadata["stack_bytes"]
        slots = entry.metadata["slots"]
        narrow = entry.metadata["narrow"]
        accesses = entry.metadata["accesses"]
        access_locations = entry.metadata["access_places"]
        sources = entry.metadata["sources"]
        # ``checked`` has validated entries that come from a file.
        assert isinstance(written, list)
        assert isinstance(slots, list)
        assert isinstance(narrow, list)
        assert isinstance(accesses, list)
        assert isinstance(access_locations, list)
        assert isinstance(sources, list)
        assert isinstance(scratch, int)
        assert isinstance(stack, int)
        # Entries count the parameters of the module.
        indices = getattr(program, "parameter_indices", None)
        packed = [(indices[index] if indices else int(index), str(encoding)) for index, encoding in slots]
        written = [indices[index] if indices else index for index in written]
        narrow = [(indices[index] if indices else index, location) for index, location in narrow]
        code: bytes | int = entry.object
        if not cpu.links_itself():
            code, self._linked = cpu.link(entry.object, self.name)
        self.program = program
        self.options = options
        try:
            with self._loading():
                # File names need not be valid UTF-8.
                location = program.location.encode(errors="backslashreplace").decode()
                super().__init__(code, self.name, packed, written, scratch, location, accesses, options.sequential)
        except ValueError as error:
            # A defect for our own code; an override file may reference any symbol.
            files = list(later_stages(program).values())
            if not files:
                raise
            raise CompilationError(f"what the file defines is not loaded: {error}",
                                   location=Location(files[-1].path, 1, 1, function=self.name)) from None  # fmt: skip
        self.stack_bytes = stack
        self.scratch_bytes = scratch
        self.written = frozenset(written)
        self.narrow: Mapping[int, str] = dict(narrow)
        self._access_locations = access_locations
        self._sources = sources
        self._remarks = entry.metadata["remarks"]
        self._written_slots = [at for index, at in first_slots(packed).items() if index in self.written]
        self.asm = Stages(stages.STAGES, partial(texts_of, program, options))

    @property
    def n_regs(self) -> int:  # type: ignore[override]
        return vector_registers()

    @property
    def kernel(self) -> bytes:
        return compiled_entry(self.program, self.options).object

    def suits(self, options: Options, aliases: Aliases) -> bool:
        """Returns whether compiling with ``options`` for arguments with these aliases would give this kernel."""
        return self.options == aliases.settle(options, self._written_slots)

    @property
    def locations(self) -> KeptLocations:
        """The current locations of the kernel's functions, which only messages need."""
        return KeptLocations(self._sources, self.program.sources)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Decisions about the kernel and their reasons, in the order in which they were taken."""
        assert isinstance(self._remarks, list)
        return read(self._remarks, self.locations, self.name)

    def access_location(self, number: int) -> Place | None:
        """Returns the location of an access that the launcher checks, if it is known."""
        if number >= len(self._access_locations):
            return None
        location = self.locations.place(self._access_locations[number])
        # Triton's locations have the name of a variable in place of the function's name.
        return (*location[:4], self.name, location[5]) if isinstance(self.program, TextProgram) else location


def texts_of(program: Program, options: Options, stage: str) -> Mapping[str, Text]:
    """Returns the stages up to LLVM IR, which are produced together, and assembly if requested."""
    target = Target.host()
    texts: dict[str, Text] = {}
    lowered = stages.lower(
        program.module, target, options, lambda name, text: texts.update({name: text()}), files=later_stages(program)
    )
    if stage == "asm":
        texts[stage] = on_compile_thread(cpu.emit_assembly, lowered.llvm_ir, target)
    return texts


def _key(program: Program, options: Options) -> str:
    return cache.digest(build_id(), program.identity, repr(options), host_identity())


def with_overrides(program: Program, options: Options) -> Program:
    """Returns the program with the stages that override files replace."""
    return overridden(program, _key(program, options))


@reporting_shortage
def compile_kernel(program: Program, options: Options, aliases: Aliases = _NO_ALIASES) -> CPUKernel:
    """Returns a kernel for this machine, from the disk cache or compiled now.

    ``aliases`` are those of the launch's arguments. They determine the options of a kernel that stores through one.
    """
    program = with_overrides(program, options)
    machine, stopwatch = host_identity(), Stopwatch()
    keys = {candidate: _key(program, candidate) for candidate in aliases.candidates(options)}
    dumped = dumps(program, keys[options])

    def find(disk: cache.DiskCache) -> CPUKernel | None:
        for candidate, key in keys.items():
            kernel = disk.load(key, machine, partial(_loaded, program, candidate, key))
            if kernel is not None and kernel.suits(options, aliases):
                return kernel
        return None

    def make(keep: Keep) -> CPUKernel:
        made, entry = _make(program, options, aliases, keys, dumped, stopwatch)
        keep(keys[made], machine, entry)
        return CPUKernel(program, made, entry)

    kernel = find_or_compile(keys[options], find, make, is_compiled_anew(program, dumped))
    stopwatch.notify(kernel)
    return kernel


def compiled_entry(program: Program, options: Options) -> cache.Entry:
    """Returns the cache entry of a kernel without loading it, for callers with a cache of their own."""
    key, machine = _key(program, options), host_identity()
    dumped, stopwatch = dumps(program, key), Stopwatch()

    def make(keep: Keep) -> cache.Entry:
        _, entry = _make(program, options, _NO_ALIASES, {options: key}, dumped, stopwatch)
        keep(key, machine, entry)
        return entry

    def find(disk: cache.DiskCache) -> cache.Entry | None:
        return disk.load(key, machine, partial(checked, program, key))

    entry = find_or_compile(key, find, make, is_compiled_anew(program, dumped))
    stopwatch.log(program.name, CPU_TARGET, key, partial(_remarks, program, entry))
    return entry


def _remarks(program: Program, entry: cache.Entry) -> tuple[Remark, ...]:
    metadata: Mapping[str, Any] = entry.metadata
    return read(metadata["remarks"], KeptLocations(metadata["sources"], program.sources), program.name)


def checked(program: Program, key: str | None, entry: cache.Entry) -> cache.Entry:
    """Returns a cache entry after validating it against the program and, if given, its key.

    Raises:
        Fault: The entry does not match.
    """
    entries.check_cpu(entry.metadata, program.name, _own_slots(program), _MOST_STACK, key)
    return entry


def _loaded(program: Program, options: Options, key: str, entry: cache.Entry) -> CPUKernel:
    """Returns the kernel of a cache entry.

    Raises:
        Fault: Compiling the program does not give such an entry, or its machine code cannot be loaded.
    """
    checked(program, key, entry)
    try:
        return CPUKernel(program, options, entry)
    except ValueError as error:
        raise cache.Fault(f"its machine code is not loaded: {error}") from None


def _own_slots(program: Program) -> list[tuple[int, str]]:
    """Returns the packing of arguments, numbered by the module's own parameters as in cache entries."""
    signature = program.signature
    indices = getattr(program, "parameter_indices", None) or range(len(signature.names))
    own_index = {module_index: index for index, module_index in enumerate(indices)}
    return [(own_index.get(index, index), encoding) for index, encoding in signature.slots]


@collector_paused()
def _make(
    program: Program,
    options: Options,
    aliases: Aliases,
    keys: Mapping[Options, str],
    dumped: Dumps,
    stopwatch: Stopwatch,
) -> tuple[Options, cache.Entry]:
    target = Target.host()
    slots = _own_slots(program)
    lowered, code = _compiled(program, options, aliases, target, dumped, stopwatch)
    stopwatch.reached("asm")
    stack, accesses = checked_stack(program, code), lowered.accesses
    metadata = {
        "name": program.name,
        "key": keys[lowered.options],
        "cpu": target.cpu,
        "alias": lowered.options.alias,
        "streaming_stores": options.streaming,
        "scratch_bytes": lowered.scratch_bytes,
        "stack_bytes": stack,
        "slots": [[index, encoding] for index, encoding in slots],
        # The passes number run-time parameters only, the launcher all parameters.
        "written": [slots[at][0] for at in accesses.written],
        "narrow": [[slots[at][0], location] for at, location in accesses.narrow],
        "accesses": list(accesses.formulas),
        "access_places": [list(location) for location in accesses.locations],
        "remarks": [[*words, list(location)] for *words, location in lowered.remarks],
        "sources": [list(each) for each in program.sources],
    }
    return lowered.options, cache.Entry(metadata, code)


def checked_stack(program: Program, code: bytes) -> int:
    """Returns the stack size of a kernel. Raises OutOfResourcesError if it exceeds ``_MOST_STACK``."""
    stack = stack_frames.stack_bytes(code)
    if stack > _MOST_STACK:
        raise OutOfResourcesError(
            f"kernel '{program.name}' needs {stack} bytes of stack, a launch has at most {_MOST_STACK}",
            hint="use smaller blocks, or fewer that are needed at one time",
        )
    return stack


def _compiled(
    program: Program, options: Options, aliases: Aliases, target: Target, dumped: Dumps, stopwatch: Stopwatch
) -> tuple[stages.Lowered, bytes]:
    """Returns the lowered module and the object code."""
    if knobs.COMPILE.get() == "process":
        # Imported on use: the module starts a pool.
        from blockdsl.compiler import subprocess_compiler

        return subprocess_compiler.compile_in_subprocess(program, options, aliases, dumped, target)
    name, location = program.name, program.location
    check_space(name)
    dump = dumper(dumped)
    watch = stopwatch.recording(dump)
    lowered = with_crash_report(
        name,
        location,
        "llir",
        stages.lower,
        program.module,
        target,
        options,
        watch,
        aliases,
        files=later_stages(program),
    )
    dump(OPTIMIZED, lambda: on_compile_thread(cpu.emit_optimized, lowered.llvm_ir, target))
    dump("asm", lambda: on_compile_thread(cpu.emit_assembly, lowered.llvm_ir, target))
    return lowered, on_compile_thread(
        with_crash_report, name, location, "asm", cpu.emit_object, lowered.llvm_ir, target
    )
