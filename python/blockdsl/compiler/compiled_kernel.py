"""Base class of compiled kernels: metadata, IR stages and disk-cache lookup."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, TypeVar

import blockdsl
from blockdsl import knobs
from blockdsl.compiler import cache
from blockdsl.compiler.compile_thread import on_deep_stack
from blockdsl.compiler.lazy import LazyDict
from blockdsl.compiler.program import Program
from blockdsl.compiler.remarks import Remark
from blockdsl.compiler.signature import Signature
from blockdsl.compiler.source import ASTSource, IRSource, function_of, source_of_program
from blockdsl.forks import cached_property
from blockdsl.knobs.hooks import calls_of
from blockdsl.tracebacks import border

Text = str | bytes
"""A stage's contents: bytes for machine code of GPUs, else text."""


class Stages(Mapping[str, Any]):
    """The texts of a kernel's stages, by name. They are produced on first use: running a kernel needs none of them."""

    def __init__(self, names: tuple[str, ...], make: Callable[[str], Mapping[str, Text]], **known: Text) -> None:
        self._names = names
        self._make = make
        self._texts: dict[str, Text] = dict(known)

    @border
    def __getitem__(self, stage: str) -> Any:
        if stage not in self._names:
            raise KeyError(f"{stage!r} is no stage; the stages are {', '.join(self._names)}")
        if stage not in self._texts:
            self._texts.update(on_deep_stack(self._make, stage))
        return self._texts[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<stages {', '.join(self._names)}>"


class Metadata(dict[str, Any]):
    """Metadata of a compiled kernel: a dict with the attributes of a named tuple, which Triton's metadata is."""

    @classmethod
    def of(cls, program: Program, options: Any, metadata: Mapping[str, Any]) -> Metadata:
        """Returns the given metadata with a hash that identifies the kernel's machine code."""
        # Metadata from the disk cache has another order.
        ordered = map(repr, sorted(metadata.items()))
        return cls({**metadata, "hash": cache.digest(build_id(), program.identity, repr(options), *ordered)})

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the metadata of a kernel have no '{name}'") from None

    @property
    def _fields(self) -> tuple[str, ...]:
        return tuple(self)

    def _asdict(self) -> dict[str, Any]:
        return dict(self)

    def _replace(self, **changes: Any) -> Metadata:
        unknown = [name for name in changes if name not in self]
        if unknown:
            raise ValueError(f"the metadata of a kernel have no {', '.join(map(repr, unknown))}")
        return Metadata({**self, **changes})


class CompiledKernel:
    """Machine code for one kernel, one choice of types and constants, and one set of options.

    Attributes:
        name: The kernel's name.
        asm: The text of every stage: for the CPU ``ttir linalg nests loops llvm llir asm``, for CUDA ``ttir handoff
            ttgir llir ptx cubin``. The cubin is bytes.
        metadata: Its options and properties, under Triton's names.
        program: Its source.
        options: The options of its compilation.
        hash: A hash that identifies its machine code.
        n_regs: Registers of a thread on the current GPU; on a CPU the number of vector registers.
        n_spills: Spilled 32-bit words of a thread on the current GPU; 0 on a CPU.
        n_max_threads: The most threads that a program may have on the current GPU; 1 on a CPU.

    Example:
        compiled = add[grid](x, y, out, n, BLOCK=1024)
        print(compiled.asm["llir"])
    """

    name: str
    asm: Stages
    metadata: Metadata
    program: Program
    options: Any
    n_regs: int
    n_spills: int
    n_max_threads: int
    _loading_process = 0
    """The id of the process that loaded the kernel while load or unload hooks were set; else 0."""

    @property
    def src(self) -> ASTSource | IRSource | None:
        """The kernel's source as Triton represents it; None if the kernel's function no longer exists."""
        return source_of_program(self.program)

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Decisions about the kernel and their reasons, in the order in which they were taken. Code for a GPU, which
        Triton's compiler generates, has none."""
        return ()

    @property
    def metadata_group(self) -> dict[str, str]:
        """The path of its file in the disk cache by the file's name; empty if there is none."""
        disk = cache.default()
        return {} if disk is None else disk.files(str(self.metadata["key"]))

    @property
    def packed_metadata(self) -> tuple[int, int, int]:
        """The metadata that Triton's launcher takes: ``num_warps``, ``num_ctas``, ``shared``."""
        metadata = self.metadata
        return metadata["num_warps"], metadata["num_ctas"], metadata["shared"]

    def launch_metadata(self, grid: Any, stream: int, *args: object) -> LazyDict | None:
        """Returns the metadata that hooks get for a launch with this grid and these arguments; None without hooks."""
        if not calls_of(knobs.runtime.launch_enter_hook):
            return None
        metadata = LazyDict({"name": self.name, "function": self, "stream": stream})
        adds = self._adds_metadata
        if adds is not None:
            metadata.add(adds, (grid, self.metadata, dict(zip(self.signature.names, args, strict=False))))
        return metadata

    @property
    def _adds_metadata(self) -> Any:
        """The ``launch_metadata`` of the kernel's function."""
        return getattr(function_of(self.program), "launch_metadata", None)

    @property
    def hash(self) -> str:
        return str(self.metadata["hash"])

    @property
    def signature(self) -> Signature:
        """The kernel's parameters."""
        return self.program.signature

    @property
    def kernel(self) -> bytes:
        """The machine code: a cubin for a GPU, an object file for the CPU."""
        raise NotImplementedError

    @property
    def function(self) -> CompiledKernel:
        """The handle of the loaded code for hooks and ``run``: the kernel itself."""
        self._init_handles()
        return self

    @property
    def module(self) -> CompiledKernel:
        """The same as ``function``: a module contains one kernel."""
        return self.function

    @cached_property
    def run(self) -> Callable[..., None]:
        """Launches as Triton's ``CompiledKernel.run`` does, without the hooks in ``knobs``.

        It takes the three extents of the grid, the stream, ``function``, ``packed_metadata``, the result of
        ``launch_metadata``, two hooks that are called with it, and all arguments of the kernel. Trailing constants may
        be omitted.
        """
        return self._launcher.run_as_triton()  # type: ignore[no-any-return]

    def _init_handles(self) -> None:
        """Loads the code on the current device, which otherwise happens at the first launch."""

    @contextlib.contextmanager
    def _loading(self) -> Iterator[None]:
        """Calls the hooks around loading."""
        runtime = knobs.runtime
        hooks = (runtime.kernel_load_start_hook, runtime.kernel_load_end_hook)
        if not any(map(calls_of, hooks)) and not calls_of(runtime.kernel_unload_hook):
            yield
            return
        for moment, hook in enumerate(hooks):
            if hook is not None:
                hook(*self._loading_hook_arguments(bool(moment)))
            if not moment:
                yield
        self._loading_process = os.getpid()

    def _loading_hook_arguments(self, is_loaded: bool) -> tuple[Any, ...]:
        handle = self if is_loaded else None
        return handle, handle, self.name, self.metadata_group, self.hash

    def __del__(self) -> None:
        # A forked child inherits kernels that it has not loaded itself.
        if self._loading_process == os.getpid() and calls_of(knobs.runtime.kernel_unload_hook):
            knobs.runtime.kernel_unload_hook(*self._loading_hook_arguments(is_loaded=True))

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        return self._bind(grid)

    @cached_property
    def _bind(self) -> Callable[[object], Callable[..., Any]]:
        return self._launcher.binder()  # type: ignore[no-any-return]

    @cached_property
    def _launcher(self) -> Any:
        launcher = make_launcher(self)
        launcher.launch_metadata = self._adds_metadata
        return launcher

    def __repr__(self) -> str:
        return f"<CompiledKernel {self.name}>"


@functools.singledispatch
def make_launcher(kernel: CompiledKernel) -> Any:
    """Returns a launcher of a kernel. The package ``launcher`` registers one for each class of kernels."""
    del kernel
    raise NotImplementedError


COMPILING = ("backends", "compiler", "errors", "frontend", "knobs", "language", "mlir")
"""The directories of the package that the machine code of kernels depends on."""


@functools.cache
def build_id(*others: str) -> str:
    """Returns a digest that identifies a build of the compiler, from the sizes and times of its files: hashing their
    contents would take longer than compiling.

    ``others`` are further directories of the package that a cache entry depends on.
    """
    stamps = _stamps(blockdsl.__path__[0], "", {*COMPILING, *others})
    return cache.digest(*sorted(stamps))


def _stamps(directory: str, name: str, rooms: Container[str] | None = None) -> Iterator[str]:
    """Yields the size and time of each source file and extension in a directory and its subdirectories, or only in the
    subdirectories ``rooms``. pathlib would take ten times as long."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__" and (rooms is None or entry.name in rooms):
                    yield from _stamps(entry.path, f"{name}{entry.name}/")
            elif entry.name.endswith(".py") or (entry.name.startswith("_native") and entry.name.endswith(".so")):
                status = entry.stat()
                yield f"{name}{entry.name}:{status.st_size}:{status.st_mtime_ns}"


K = TypeVar("K")

Keep = Callable[[str, str, cache.Entry], None]
"""Stores an entry under a key, for a machine."""


def find_or_compile(
    key: str, find: Callable[[cache.DiskCache], K | None], make: Callable[[Keep], K], anew: bool = False
) -> K:
    """Returns a kernel from the disk cache, or compiles it if the cache has none or ``anew`` is set. ``make`` gets a
    function that stores its result."""
    disk = cache.default()
    if disk is None:
        return on_deep_stack(make, lambda _key, _machine, _entry: None)
    found = None if anew else find(disk)
    if found is not None:
        return found
    with disk.locked(key):
        found = None if anew else find(disk)
        return on_deep_stack(make, disk.store) if found is None else found


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses Python's garbage collector while we compile: traversing torch's objects took a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
