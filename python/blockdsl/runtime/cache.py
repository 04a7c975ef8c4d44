"""Triton's cache managers, for files of a program, or to store compiled kernels elsewhere.

The class that ``knobs.cache.manager_class`` or ``TRITON_CACHE_MANAGER`` names replaces the storage of compiled kernels
(compiler/cache.py), with one file per kernel.
"""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from blockdsl import knobs
from blockdsl.compiler.backend import get_cache_key, triton_key
from blockdsl.compiler.cache import base32, write_whole
from blockdsl.errors import TargetError

__all__ = [
    "CacheManager",
    "FileCacheManager",
    "RedisRemoteCacheBackend",
    "RemoteCacheBackend",
    "RemoteCacheManager",
    "default_cache_dir",
    "default_dump_dir",
    "default_override_dir",
    "get_cache_key",
    "get_cache_manager",
    "get_dump_manager",
    "get_override_manager",
    "make_so_cache_key",
    "triton_key",
]


class CacheManager(ABC):
    """Storage of the files that belong to one key."""

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        del key, override, dump

    @abstractmethod
    def get_file(self, filename: str) -> str | None:
        """Returns the path of a file, or None if there is none."""

    @abstractmethod
    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        """Stores a file and returns its path. Data other than bytes is stored as its text."""

    @abstractmethod
    def get_group(self, filename: str) -> dict[str, str] | None:
        """Returns the paths of a group's files, by their names, or None if one is missing."""

    @abstractmethod
    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        """Stores a group of files, given by name and path, under a name."""


class FileCacheManager(CacheManager):
    """A directory of the cache for one key.

    Attributes:
        key: The directory's name.
        cache_dir: Its path, in ``knobs.cache.dir``; with ``dump`` in ``dump_dir``, with ``override`` in
            ``override_dir``, where it may be missing.
        lock_path: A file in it that programs may lock; None with ``override``.

    Raises:
        TargetError: There is no cache directory, because ``HOME`` is not set.

    Example:
        manager = FileCacheManager("tables")
        path = manager.get_file("sizes.json") or manager.put(json.dumps(sizes), "sizes.json")
    """

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        self.key = key
        name = "dump_dir" if dump else "override_dir" if override else "dir"
        parent = getattr(knobs.cache, name)
        if not parent:
            raise TargetError(f"there is no directory for the files of '{key}'", hint=f"set knobs.cache.{name}")
        self.cache_dir = os.path.join(parent, key)
        self.lock_path: str | None = None
        if dump or not override:
            # The parent directory contains kernels, so no other user may write to it.
            Path(parent).mkdir(mode=0o700, parents=True, exist_ok=True)
            os.makedirs(self.cache_dir, exist_ok=True)
            self.lock_path = os.path.join(self.cache_dir, "lock")

    def _make_path(self, filename: str) -> str:
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename: str) -> bool:
        """Returns whether there is a file of this name."""
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename: str) -> str | None:
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        del binary  # As in Triton the type of the data decides.
        # Atomic, as other processes may write the same file.
        write_whole(Path(self.cache_dir), filename, data if isinstance(data, bytes) else str(data).encode())
        return self._make_path(filename)

    def get_group(self, filename: str) -> dict[str, str] | None:
        path = self.get_file(f"__grp__{filename}")
        children = None if path is None else _children(Path(path).read_text(encoding="utf-8"))
        if not isinstance(children, dict):
            return None
        exist = all(isinstance(each, str) and os.path.exists(each) for each in children.values())
        if not exist:
            return None
        return children

    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        return self.put(json.dumps({"child_paths": dict(group)}), f"__grp__{filename}", binary=False)


def _children(text: str) -> Any:
    """Returns the files listed in a group's file, or None if it is damaged."""
    try:
        return json.loads(text)["child_paths"]
    except (ValueError, KeyError, TypeError):
        return None


class RemoteCacheBackend(ABC):
    """A server with the files of one key, for ``RemoteCacheManager``."""

    def __init__(self, key: str) -> None:
        del key

    @abstractmethod
    def get(self, filenames: Sequence[str]) -> dict[str, bytes]:
        """Returns the existing files among ``filenames``."""

    @abstractmethod
    def put(self, filename: str, data: bytes) -> Any:
        """Stores a file."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """A Redis server, which ``knobs.redis`` names; it needs the package ``redis``."""

    def __init__(self, key: str) -> None:
        import redis  # type: ignore[import-not-found, unused-ignore]

        self._key = key
        self._key_fmt = knobs.redis.key_format
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _get_key(self, filename: str) -> str:
        return str(self._key_fmt.format(key=self._key, filename=filename))

    def get(self, filenames: Sequence[str]) -> dict[str, bytes]:
        found = self._redis.mget([self._get_key(name) for name in filenames])
        return {name: data for name, data in zip(filenames, found, strict=True) if data is not None}

    def put(self, filename: str, data: bytes) -> Any:
        return self._redis.set(self._get_key(filename), data)


class RemoteCacheManager(CacheManager):
    """Files on the server of ``knobs.cache.remote_manager_class``, which are downloaded on use.

    Raises:
        TargetError: That class is not set.
    """

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        kind = knobs.cache.remote_manager_class
        if kind is None:
            raise TargetError(
                "a RemoteCacheManager has no server to ask",
                hint="set knobs.cache.remote_manager_class, or TRITON_REMOTE_CACHE_BACKEND to module:class",
            )
        self._backend = kind(key)
        # Dumps and overrides are local files for users.
        self._is_local = override or dump
        self._files = FileCacheManager(key, override=override, dump=dump)

    def get_file(self, filename: str) -> str | None:
        if self._is_local:
            return self._files.get_file(filename)
        # The server gets requests even for local files, because it may track usage.
        found = self._backend.get([filename])
        return self._files.put(found[filename], filename) if filename in found else None

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        del binary
        content = data if isinstance(data, bytes) else str(data).encode()
        if not self._is_local:
            self._backend.put(filename, content)
        return self._files.put(content, filename)

    def get_group(self, filename: str) -> dict[str, str] | None:
        if self._is_local:
            return self._files.get_group(filename)
        path = self.get_file(f"__grp__{filename}")
        names = None if path is None else _children(Path(path).read_text(encoding="utf-8"))
        found = self._backend.get(names) if names is not None else {}
        if names is None or len(found) != len(names):
            return None
        return {name: self._files.put(data, name) for name, data in found.items()}

    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        if self._is_local:
            return self._files.put_group(filename, group)
        return self.put(json.dumps({"child_paths": sorted(group)}), f"__grp__{filename}")


def _manager(key: str, **how: bool) -> CacheManager:
    kind: type[CacheManager] = knobs.cache.manager_class or FileCacheManager
    return kind(base32(key), **how)


def get_cache_manager(key: str) -> CacheManager:
    """Returns the manager of a key's files. The key is a digest in hexadecimal."""
    return _manager(key)


def get_override_manager(key: str) -> CacheManager:
    """Returns the manager of stages that override compiled ones."""
    return _manager(key, override=True)


def get_dump_manager(key: str) -> CacheManager:
    """Returns the manager of dumped stages."""
    return _manager(key, dump=True)


def default_cache_dir() -> str | None:
    """Returns ``knobs.cache.dir``; Triton's name up to 3.2."""
    return knobs.cache.dir  # type: ignore[no-any-return]


def default_dump_dir() -> str | None:
    """Returns ``knobs.cache.dump_dir``; Triton's name up to 3.2."""
    return knobs.cache.dump_dir  # type: ignore[no-any-return]


def default_override_dir() -> str | None:
    """Returns ``knobs.cache.override_dir``; Triton's name up to 3.2."""
    return knobs.cache.override_dir  # type: ignore[no-any-return]


def make_so_cache_key(
    version_hash: str, signature: Mapping[Any, str], constants: object, ids: object, **kwargs: object
) -> str:
    """Returns a key for code that is compiled for a signature and constants."""
    types = ("ptr" if each.startswith("*") else each for each in signature.values())
    parts = [version_hash, "".join(types), str(constants), str(ids), *map(str, kwargs.values())]
    return base32(hashlib.sha256("-".join(parts).encode()).hexdigest())
