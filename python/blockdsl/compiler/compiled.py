"""What compiled kernels of all targets share: their face, their texts, and the way through the disk cache."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from blockdsl.compiler import cache
from blockdsl.compiler.deep_stack import on_deep_stack
from blockdsl.compiler.program import Program, Signature

if TYPE_CHECKING:
    from blockdsl import _runtime

Text = str | bytes
"""A stage: machine code for GPUs is bytes."""


class Stages(Mapping[str, Any]):
    """The texts of a kernel's stages, by name. They are made when asked for: running a kernel needs none of them."""

    def __init__(self, names: tuple[str, ...], make: Callable[[str], Mapping[str, Text]], **known: Text) -> None:
        self._names = names
        self._make = make
        self._texts: dict[str, Text] = dict(known)

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
    """What was compiled, and how: by keys, or as Triton has it, by attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the metadata of a kernel have no '{name}'") from None

    def _asdict(self) -> dict[str, Any]:
        return dict(self)


class CompiledKernel:
    """Machine code for one kernel, one choice of types and constants, and one set of options.

    Attributes:
        name: The kernel's name.
        asm: The text of every stage: for the CPU ``ttir linalg vector llvm llir asm``, for CUDA ``ttir handoff ttgir
            llir ptx cubin``, of which the last is bytes.
        metadata: What was compiled, and how.
        program: What it was compiled from.
        options: What it was compiled with.
        hash: Tells its machine code from any other's.

    Example:
        compiled = add[grid](x, y, out, n, BLOCK=1024)
        print(compiled.asm["llir"])
    """

    name: str
    asm: Stages
    metadata: Metadata
    program: Program
    options: Any

    @functools.cached_property
    def hash(self) -> str:
        return cache.digest(build_id(), self.program.identity, repr(self.options), *map(repr, self.metadata.items()))

    @property
    def signature(self) -> Signature:
        """The kernel's parameters."""
        return self.program.signature

    def _init_handles(self) -> None:
        """Triton's: the code is loaded when the kernel is launched."""

    def __getitem__(self, grid: object) -> Callable[..., Any]:
        bound: Callable[..., Any] = self._launcher[grid]
        return bound

    @property
    def _launcher(self) -> _runtime.Launcher:
        """Made at the first launch: it imports us."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<CompiledKernel {self.name}>"


@functools.cache
def build_id() -> str:
    """Tells one build of the compiler from another, by size and time of its files: hashing them would take longer than
    compiling does."""
    return cache.digest(*sorted(_stamps(os.path.dirname(os.path.dirname(__file__)), "")))


def _stamps(directory: str, name: str) -> Iterator[str]:
    """What tells versions of the files of a directory apart. pathlib takes ten times as long to walk there."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _stamps(entry.path, f"{name}{entry.name}/")
            elif entry.name.endswith(".py") or (entry.name.startswith("_native") and entry.name.endswith(".so")):
                status = entry.stat()
                yield f"{name}{entry.name}:{status.st_size}:{status.st_mtime_ns}"


K = TypeVar("K")

Keep = Callable[[str, str, cache.Entry], None]
"""Stores an entry under a key, for a machine."""


def found_or_made(key: str, find: Callable[[cache.DiskCache], K | None], make: Callable[[Keep], K]) -> K:
    """A kernel from the disk cache, or one made now. ``make`` is given a function that keeps what it made."""
    disk = cache.default()
    if disk is None:
        return on_deep_stack(make, lambda _key, _machine, _entry: None)
    found = find(disk)
    if found is not None:
        return found
    with disk.locked(key):
        found = find(disk)
        return on_deep_stack(make, disk.store) if found is None else found


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Keeps Python's garbage collector from walking all of torch while we compile: it took a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
