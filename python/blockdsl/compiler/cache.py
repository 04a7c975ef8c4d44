"""Disk cache of compiled kernels: one self-describing file per entry, which is fully checked before it is used.

    blockdsl-kernel 1\\n          magic and version
    {"key": ..., ...}\\n          one line of JSON: key, machine, launcher metadata, digest and length of the code
    ...                          the object file

A fault in a file, the directory or the file system causes one warning and a compilation, never an error and never
the execution of another user's code. Nothing is unpickled, and no path is read from a file.
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
# A kernel's object has some kilobytes. Files larger than this are not read.
_LARGEST = 64 << 20


@dataclass(frozen=True)
class Entry:
    """A cached kernel: metadata for the launcher, and machine code."""

    metadata: Mapping[str, object]
    object: bytes


class Fault(Exception):  # noqa: N818 - not an error: a reason
    """The reason why an entry is not used."""


def digest(*parts: str) -> str:
    """Returns the name of an entry: a hash of all inputs of its code."""
    state = hashlib.sha256()
    for part in parts:
        # File names need not be valid UTF-8.
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def base32(key: str) -> str:
    """Returns a digest in base 32, as Triton's cache managers name their directories."""
    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


def encode(key: str, machine: str, entry: Entry) -> bytes:
    """Returns the contents of an entry's file."""
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
    """Returns the entry in a file's bytes. A key of None matches any entry.

    Raises:
        Fault: The entry is damaged, or has another key or machine.
    """
    if not data.startswith(MAGIC):
        raise Fault("it does not start as a kernel of this version does")
    line, newline, code = data[len(MAGIC) :].partition(b"\n")
    try:
        sealed = json.loads(line)
        header = sealed["header"]
        # The digest covers the header too: a flipped bit in the metadata would pass arguments in the wrong slots.
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

    def _warn(self, problem: str) -> None:
        if problem in self._warned:
            return
        self._warned.add(problem)
        warnings.warn(f"{problem}; the kernel is compiled again", RuntimeWarning, stacklevel=2)

    @contextlib.contextmanager
    def _directory(self) -> Iterator[int | None]:
        """Opens the directory, if no other user may write to it; else warns and yields None."""
        handle = -1
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fault = ownership.fault_of(os.fstat(handle)) or ownership.fault_of_link(os.lstat(self.path))
            if fault is not None:
                raise Fault(fault)
        except (OSError, Fault) as error:
            self._warn(f"the cache {self.path} is not used ({error})")
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
        """Holds the key's lock. Callers repeat the lookup before compiling: another process may have stored the entry.

        Two keys may share a lock of one kind, so a thread that holds a lock may only take locks of other kinds.
        """
        with self._directory() as directory:
            if directory is None:
                yield
                return
            # There are 256 locks of each kind.
            with file_locks.held(directory, f".{kind}-{key[:2]}"):
                yield

    def load(self, key: str, machine: str, read: Callable[[Entry], T]) -> T | None:
        """Returns the result of ``read`` for the entry, or None if there is no usable entry. ``read`` rejects an entry
        by raising a Fault."""
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
        """Returns the path of an entry's file by its name; empty if there is none."""
        path = self.path / key
        return {key: str(path)} if path.exists() else {}

    def store(self, key: str, machine: str, entry: Entry) -> None:
        """Writes an entry atomically."""
        with self._directory() as directory:
            if directory is None:
                return
            try:
                write_whole(self.path, key, encode(key, machine, entry))
            except OSError as fault:
                self._warn(f"the cache {self.path} cannot be written ({fault})")


class ManagedCache(DiskCache):
    """A cache whose entries are stored by a cache manager class of the user, and checked as in ``DiskCache``.

    Locks are files in the directory, and exclude processes of this machine only.
    """

    _FILE = "kernel"

    def __init__(self, path: Path, manager: Callable[[str], Any]) -> None:
        super().__init__(path)
        self._manager = manager

    def load(self, key: str, machine: str, read: Callable[[Entry], T]) -> T | None:
        """Returns the result of ``read`` for the entry, or None if there is no usable entry."""
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
        """Stores an entry with the manager."""
        self._manager(base32(key)).put(encode(key, machine, entry), self._FILE, binary=True)

    def files(self, key: str) -> dict[str, str]:
        """Returns the path of an entry's file by its name, from the manager."""
        path = self._manager(base32(key)).get_file(self._FILE)
        return {self._FILE: path} if path else {}


def _read(directory: int, key: str) -> bytes:
    """Returns a file's bytes. Raises Fault unless it is a regular file of at most ``_LARGEST`` bytes that no other
    user may write to."""
    handle = os.open(key, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise Fault("it is no cache entry")
        if (fault := ownership.fault_of(status)) is not None:
            raise Fault(fault)
        return file.read()


def write_whole(path: Path, key: str, data: bytes) -> None:
    """Writes a file in a directory atomically."""
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
    """Returns the cache that the environment configures, or None if it is disabled."""
    path = knobs.CACHE_DIR.get()
    if not knobs.CACHE.get() or path is None:
        return None
    manager = knobs.cache.manager_class
    return _cache_at(path) if manager is None else ManagedCache(path, manager)


_caches: dict[Path, DiskCache] = {}


def _cache_at(path: Path) -> DiskCache:
    return _caches.setdefault(path, DiskCache(path))
