"""Compiled kernels on disk: one self-describing file an entry, which is checked in full before any of it is used.

    blockdsl-kernel 1\\n          magic and version
    {"key": ..., ...}\\n          one line of JSON: key, machine, what the launcher needs, digest and length of the code
    ...                          the object file

Whatever is wrong with a file, with the directory, or with the file system costs one warning and a compilation; it is
never an error, and never somebody else's code. Nothing is unpickled, and no path comes out of a file.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from blockdsl import knobs
from blockdsl.compiler import file_locks, ownership

T = TypeVar("T")

MAGIC = b"blockdsl-kernel 1\n"
# A kernel's object is some kilobytes. What is larger than this is not one, and is not read.
_LARGEST = 64 << 20


@dataclass(frozen=True)
class Entry:
    """What is kept of a compiled kernel: metadata for the launcher, and machine code."""

    metadata: Mapping[str, object]
    object: bytes


class Fault(Exception):  # noqa: N818 - not an error: a reason
    """Why an entry is not used."""


def digest(*parts: str) -> str:
    """The name of an entry: a hash over everything the code depends on."""
    state = hashlib.sha256()
    for part in parts:
        # Names of files may be no UTF-8.
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def base32(key: str) -> str:
    """A digest in fewer characters, as Triton's cache managers call their directories."""
    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


def encode(key: str, machine: str, entry: Entry) -> bytes:
    """The bytes of a file."""
    header = {
        "key": key,
        "machine": machine,
        "metadata": dict(entry.metadata),
        "sha256": hashlib.sha256(entry.object).hexdigest(),
        "length": len(entry.object),
    }
    text = json.dumps(header, sort_keys=True)
    sealed = json.dumps({"seal": digest(text), "header": header}, sort_keys=True)
    return MAGIC + sealed.encode() + b"\n" + entry.object


def decode(data: bytes, key: str | None, machine: str) -> Entry:
    """The entry in a file's bytes; raises unless it is whole, and the one that was asked for, which None is any."""
    if not data.startswith(MAGIC):
        raise Fault("it does not start as a kernel of this version does")
    line, newline, code = data[len(MAGIC) :].partition(b"\n")
    try:
        sealed = json.loads(line)
        header = sealed["header"]
        # The header is sealed too: a flipped bit in the metadata would send arguments to the wrong slots.
        intact = bool(newline) and sealed["seal"] == digest(json.dumps(header, sort_keys=True))
        found = (header["key"], header["machine"], header["length"], header["sha256"], header["metadata"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Fault("its header is damaged") from None
    if not intact or type(found[4]) is not dict:
        raise Fault("its header is damaged")
    if key is not None and found[0] != key:
        raise Fault("it holds another kernel")
    if found[1] != machine:
        raise Fault("it was compiled for another machine")
    if found[2] != len(code) or found[3] != hashlib.sha256(code).hexdigest():
        raise Fault("its machine code is damaged")
    return Entry(metadata=found[4], object=code)


class DiskCache:
    """A directory of compiled kernels.

    Example:
        cache = DiskCache(Path("~/.cache/blockdsl").expanduser())
        with cache.locked(key):
            entry = cache.load(key, machine, lambda entry: entry)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._warned: set[str] = set()

    def _warn(self, what: str) -> None:
        if what in self._warned:
            return
        self._warned.add(what)
        warnings.warn(f"{what}; the kernel is compiled again", RuntimeWarning, stacklevel=2)

    @contextlib.contextmanager
    def _directory(self) -> Iterator[int | None]:
        """The directory, opened, if it is ours alone."""
        handle = -1
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
            status = os.fstat(handle)
            if (fault := ownership.fault_of(status)) is not None:
                raise Fault(fault)
        except (OSError, Fault) as fault:
            self._warn(f"the cache {self.path} is not used ({fault})")
            if handle >= 0:
                os.close(handle)
            yield None
            return
        try:
            yield handle
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def locked(self, key: str, kind: str = "lock") -> Iterator[None]:
        """Holds the key's lock. The caller looks again before compiling: another process may have been faster.

        A thread that holds one may take one of another kind, but two keys may share one of the same kind.
        """
        with self._directory() as directory:
            if directory is None:
                yield
                return
            # There are 256 of a kind.
            with file_locks.held(directory, f".{kind}-{key[:2]}"):
                yield

    def load(self, key: str, machine: str, read: Callable[[Entry], T]) -> T | None:
        """What ``read`` makes of the entry, or None if there is none that can be used, for which ``read`` may raise a
        Fault."""
        with self._directory() as directory:
            if directory is None:
                return None
            try:
                return read(decode(_read(directory, key), key, machine))
            except FileNotFoundError:
                return None
            except (OSError, Fault) as fault:
                self._warn(f"the cached kernel {self.path / key} is not used ({fault})")
                return None

    def files(self, key: str) -> dict[str, str]:
        """The file of an entry, by its name, where there is one."""
        path = self.path / key
        return {key: str(path)} if path.exists() else {}

    def store(self, key: str, machine: str, entry: Entry) -> None:
        """Writes an entry, all or nothing."""
        with self._directory() as directory:
            if directory is None:
                return
            try:
                write_whole(self.path, key, encode(key, machine, entry))
            except OSError as fault:
                self._warn(f"the cache {self.path} cannot be written ({fault})")


class ManagedCache(DiskCache):
    """Compiled kernels that a class of the program's keeps, and which are checked as others are.

    Locks are files of the directory, and keep processes of this machine apart.
    """

    _FILE = "kernel"

    def __init__(self, path: Path, manager: Callable[[str], Any]) -> None:
        super().__init__(path)
        self._manager = manager

    def load(self, key: str, machine: str, read: Callable[[Entry], T]) -> T | None:
        """What ``read`` makes of the entry, or None if there is none that can be used."""
        found = self.files(key)
        try:
            if not found:
                return None
            path = Path(found[self._FILE])
            foreign = ownership.foreign((path, path.parent))
            if foreign is not None:
                raise Fault(f"'{foreign[0].name}': {foreign[1]}")
            return read(decode(path.read_bytes(), key, machine))
        except FileNotFoundError:
            return None
        except (OSError, Fault) as fault:
            self._warn(f"the kernel {key} of {self._manager} is not used ({fault})")
            return None

    def store(self, key: str, machine: str, entry: Entry) -> None:
        """Has the class keep an entry."""
        self._manager(base32(key)).put(encode(key, machine, entry), self._FILE, binary=True)

    def files(self, key: str) -> dict[str, str]:
        """The file of an entry, by its name, as the class gives it."""
        path = self._manager(base32(key)).get_file(self._FILE)
        return {self._FILE: path} if path else {}


def _read(directory: int, key: str) -> bytes:
    """A file's bytes, if it is a plain file of ours and no larger than an entry can be."""
    handle = os.open(key, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise Fault("it is no cache entry")
        if (fault := ownership.fault_of(status)) is not None:
            raise Fault(fault)
        return file.read()


def write_whole(path: Path, key: str, data: bytes) -> None:
    """Writes a file of a directory, all or nothing."""
    handle, name = tempfile.mkstemp(prefix=f".{key[:16]}-", dir=path)  # mode 0600
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(name, path / key)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def default() -> DiskCache | None:
    """The cache the environment asks for; None if it asks for none."""
    path = knobs.CACHE_DIR.get()
    if not knobs.CACHE.get() or path is None:
        return None
    manager = knobs.cache.manager_class
    return _cache_at(path) if manager is None else ManagedCache(path, manager)


_caches: dict[Path, DiskCache] = {}


def _cache_at(path: Path) -> DiskCache:
    return _caches.setdefault(path, DiskCache(path))
