"""Verified cache of CPU kernels: wraps Triton's cache manager with the checks of our own cache.

Triton stores the files of a kernel as a group in a directory named by the kernel's key. A group is a hit only if it is
complete and has that key; otherwise Triton compiles the kernel again and rewrites the group. A directory that other
users may write to is not read.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from blockdsl.compiler import cache, entries, ownership
from blockdsl.compiler.cache import Fault
from blockdsl.triton import kernel_binary
from blockdsl.triton.options import known_options

_AGAIN = "the kernel is compiled again"


def cache_manager(make: Callable[[str], Any], key: str) -> Any:
    """Returns the cache manager of a kernel, which wraps that of ``make``."""
    root = _setting("dir")
    try:
        if root is not None:
            # Triton would create it with the umask's permissions.
            Path(root).mkdir(mode=0o700, parents=True, exist_ok=True)
        manager = make(key)
        found = ownership.foreign((root, getattr(manager, "cache_dir", None)))
    except OSError as error:
        found = Path(root or ""), str(error)
    if found is not None:
        _warn_of_directory("cache", *found)
        return Temporary(key)
    return Checked(manager, key)


def override_manager(make: Callable[[str], Any], key: str) -> Any:
    """Returns the manager of files that override stages of a kernel."""
    manager = make(key)
    found = ownership.foreign((_setting("override_dir"), getattr(manager, "cache_dir", None)))
    if found is None:
        return manager
    ownership.warn_once(f"files in {found[0]} override no kernel ({found[1]})", "use a directory of your own")
    return Temporary(key)


def _setting(name: str) -> str | None:
    from triton import knobs

    value = getattr(knobs.cache, name, None)
    return None if value is None else str(value)


def _warn_of_directory(directory_kind: str, path: Path, fault: str) -> None:
    consequence = "kernels are compiled again in each process, until its owner and mode are yours alone (chmod go-w)"
    ownership.warn_once(f"Triton's {directory_kind} {path} is not used ({fault})", consequence)


class Checked:
    """A cache manager of Triton with sealed groups: an additional file contains the key and a digest of each file."""

    def __init__(self, manager: Any, key: str) -> None:
        self._manager = manager
        self._key = key

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manager, name)

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        """Stores a file, in a temporary directory of this process if Triton's directory cannot be written."""
        try:
            return str(self._manager.put(data, filename, binary=binary))
        except OSError as error:
            _warn_of_directory("cache", Path(getattr(self._manager, "cache_dir", "")), str(error))
            self._manager = Temporary(self._key)
            return str(self._manager.put(data, filename, binary=binary))

    def put_group(self, filename: str, group: Mapping[str, str]) -> Any:
        """Seals a group, and stores it."""
        try:
            digests = {name: hashlib.sha256(Path(path).read_bytes()).hexdigest() for name, path in group.items()}
            self.put(json.dumps({"key": self._key, "files": digests}), _seal(filename), binary=False)
            return self._manager.put_group(filename, group)
        except OSError as error:
            _warn_of_directory("cache", Path(getattr(self._manager, "cache_dir", "")), str(error))
            return None

    def get_group(self, filename: str) -> dict[str, str] | None:
        """Returns the paths of a kernel's files, by their names; None if there are none, or a file is invalid."""
        listed = None
        try:
            listed = self._manager.get_file(f"__grp__{filename}")
            if listed is None:
                return None
            json.loads(_read(listed))
            group: dict[str, str] | None = self._manager.get_group(filename)
            if group is not None:
                self._check(filename, group)
        except FileNotFoundError:
            return None
        except Fault as fault:
            reason = str(fault)
        except (OSError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            reason = f"its list of files is damaged, {type(error).__name__}"
        else:
            return group
        ownership.warn_once(f"the kernel that Triton has kept at {os.path.dirname(str(listed))} is not used ({reason})",
                            _AGAIN)  # fmt: skip
        return None

    def _check(self, filename: str, group: Mapping[str, str]) -> None:
        """Raises Fault if a file of a group has changed since it was sealed."""
        sealed = self._manager.get_file(_seal(filename))
        if sealed is None:
            raise Fault("it is not sealed")
        try:
            seal = json.loads(_read(sealed))
            key, digests = seal["key"], dict(seal["files"])
        except (LookupError, RecursionError, TypeError, ValueError):
            raise Fault("its seal is damaged") from None
        if key != self._key:
            raise Fault("it holds another kernel")
        if digests.keys() != group.keys():
            raise Fault("its list of files is damaged")
        for name, path in group.items():
            data = _read(path)
            if digests[name] != hashlib.sha256(data).hexdigest():
                raise Fault(f"'{name}' is damaged")
            if name.endswith(".blockdsl"):
                kernel_binary.check(data, self._key)
            elif name == filename:
                _check_metadata(data, self._key)


_COUNT = entries.within(0, 1 << 31)
_METADATA = {
    "name": entries.has_type(str),
    "target": lambda value: type(value) is dict and {"backend", "arch", "warp_size"} <= set(value),
    "num_warps": _COUNT,
    "num_ctas": _COUNT,
    "shared": _COUNT,
}


def _check_metadata(data: bytes, key: str) -> None:
    """Checks the metadata that Triton and Inductor read: a tuple with a field for each option."""
    try:
        metadata = json.loads(data)
        is_right = (metadata["hash"], metadata["target"]["backend"]) == (key, "cpu")
    except (LookupError, RecursionError, TypeError, ValueError):
        is_right = False
    if not is_right:
        raise Fault("its metadata are another kernel's")
    entries.check(metadata, _METADATA)
    if known_options().keys() - metadata.keys() or not all(map(str.isidentifier, metadata)):
        raise Fault("its metadata have other options")


def _seal(filename: str) -> str:
    return f"{filename}.seal"


def _read(path: str) -> bytes:
    """Returns a file's bytes. Raises Fault if another user may write to it or to its directory."""
    found = ownership.foreign((path, os.path.dirname(path)))
    if found is not None:
        raise Fault(f"'{found[0].name}': {found[1]}")
    return Path(path).read_bytes()


class Temporary:
    """A manager of temporary files of this process, from which Triton loads a kernel. Nothing is cached."""

    def __init__(self, key: str) -> None:
        self.cache_dir = str(_temporary_directory(os.getpid()) / cache.base32(key))

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        """Writes a file."""
        path = Path(self.cache_dir) / filename
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else str(data).encode("utf-8", "surrogateescape"))
        return str(path)

    def get_file(self, filename: str) -> str | None:
        """Returns the path of a file that ``put`` has written."""
        path = Path(self.cache_dir) / filename
        return str(path) if path.exists() else None

    def put_group(self, filename: str, group: Mapping[str, str]) -> None:
        """Does nothing: groups are not cached."""

    def get_group(self, filename: str) -> None:
        """Returns None: groups are not cached."""


@functools.cache
def _temporary_directory(process: int) -> Path:
    """Returns a directory that is removed when the process exits."""
    directory = tempfile.mkdtemp(prefix="blockdsl-triton-")

    def remove() -> None:
        if os.getpid() == process:
            shutil.rmtree(directory, ignore_errors=True)

    atexit.register(remove)
    return Path(directory)
