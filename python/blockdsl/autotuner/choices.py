"""Choices of configurations on disk, in the cache of compiled kernels.

The name of a choice's file is a digest of all its inputs: the compiler, the kernel's source, the configurations, the
key, and the machine with its number of threads.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from blockdsl import _runtime
from blockdsl.autotuner.config import Config
from blockdsl.compiler import cache, entries
from blockdsl.compiler.compiled_kernel import build_id
from blockdsl.compiler.program import stable
from blockdsl.compiler.target import host_identity

_holding = threading.local()


class Choices:
    """The choices for one kernel and one list of configurations."""

    def __init__(self, source_key: str, configs: Sequence[Config]) -> None:
        self._parts = (source_key, *(_text(config) for config in configs))
        self._configs = configs

    def find(
        self, values: Sequence[Any], dtypes: Sequence[object], device: str, search: Callable[[], Config]
    ) -> Config:
        """Returns the configuration for a key from disk, or the result of ``search``, which is then stored.

        Concurrent processes search once: the first one searches, the others wait.
        """
        disk = cache.default()
        if disk is None:
            return search()
        name = cache.digest("choice", build_id("autotuner"), *self._parts, _machine(device), *map(stable, values),
                            *map(str, dtypes))  # fmt: skip
        if (known := self._load(disk, name)) is not None:
            return known
        with _locked(disk, name):
            if (known := self._load(disk, name)) is not None:
                return known
            found = search()
            # Pruning may return a new configuration, which another process could not identify.
            if found in self._configs:
                disk.store(name, host_identity(), cache.Entry({"choice": self._configs.index(found)}, b""))
            return found

    def _load(self, disk: cache.DiskCache, name: str) -> Config | None:
        return disk.load(name, host_identity(), self._chosen)

    def _chosen(self, entry: cache.Entry) -> Config:
        entries.check(entry.metadata, {"choice": entries.within(0, len(self._configs) - 1)})
        index = entry.metadata["choice"]
        assert isinstance(index, int)
        return self._configs[index]


def _text(config: Config) -> str:
    hook = getattr(config.pre_hook, "__qualname__", config.pre_hook is not None)
    return f"{[(name, stable(value)) for name, value in config.all_kwargs().items()]} {hook}"


def _machine(device: str) -> str:
    if device == "cpu":
        return f"{host_identity()} {_runtime.get_num_threads()}"
    # A tensor on a GPU implies that torch is imported already.
    return f"{sys.modules['torch'].cuda.get_device_properties(device)}"


@contextlib.contextmanager
def _locked(disk: cache.DiskCache, name: str) -> Iterator[None]:
    """Holds the choice's lock, unless this thread holds one already. Otherwise two processes could deadlock when a hook
    launches another autotuned kernel."""
    if getattr(_holding, "some", False):
        yield
        return
    _holding.some = True
    try:
        with disk.locked(name, "choice"):
            yield
    finally:
        _holding.some = False
