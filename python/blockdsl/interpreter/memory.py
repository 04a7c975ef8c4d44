"""The memory of a launch's arguments, with checks of all accesses."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from blockdsl.errors import KernelAssertionError, LaunchError
from blockdsl.language.numerics import Array

# After this number of atomic accesses without effect a program counts as waiting for another one.
_MOST_TURNS = 100_000


class Segment:
    """The memory behind one argument."""

    def __init__(self, name: str, address: int, size: int, writable: bool, owner: Any) -> None:
        self.name, self.start, self.end, self.writable = name, address, address + size, writable
        self.owner = owner  # Kept alive while the kernel runs.
        self.is_stored = False  # Whether a program has stored to it.
        buffer: Any = (ctypes.c_ubyte * size).from_address(address) if size else b""
        self.bytes: Array = np.frombuffer(buffer, np.uint8)

    def byte_indices(self, addresses: Array, kind: np.dtype[Any]) -> Array:
        """Returns the indices of the bytes of each element, one row per element."""
        return (addresses - self.start)[:, None] + np.arange(kind.itemsize)


class Memory:
    """All memory a kernel may access: that of its arguments."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._waits: tuple[int, int] = (0, 0)

    def load(self, addresses: Array, active: Array, kind: np.dtype[Any]) -> Array:
        """Reads elements where ``active``; zeros elsewhere."""
        result = np.zeros(addresses.shape, kind)
        for segment, chosen in self._split("load", addresses, active, kind):
            found = segment.bytes[segment.byte_indices(addresses[chosen], kind)]
            result[chosen] = np.ascontiguousarray(found).view(kind)[:, 0]
        return result

    def store(self, addresses: Array, active: Array, values: Array) -> None:
        """Writes elements where ``active``. Of several elements with one address, the last one is stored."""
        for segment, chosen in self._split("store", addresses, active, values.dtype):
            if not segment.writable:
                raise LaunchError(f"'{segment.name}' is read-only, and the kernel stores to it",
                                  hint="pass a copy that may be written")  # fmt: skip
            segment.is_stored = True
            rows = np.ascontiguousarray(values[chosen]).reshape(-1, 1).view(np.uint8)
            segment.bytes[segment.byte_indices(addresses[chosen], values.dtype)] = rows

    def note_wait(self, address: Any, changed: bool) -> None:
        """Counts atomic accesses that change nothing: a program that repeats them waits for another program."""
        last, count = self._waits
        self._waits = (int(address), 0 if changed else count + 1 if last == int(address) else 1)
        if self._waits[1] > _MOST_TURNS:
            self.refuse_wait()

    def refuse_wait(self) -> None:
        """Raises LaunchError for a program that would wait forever."""
        raise LaunchError("the program waits for another one, and interpreted programs run one after the other",
                          hint="launch one program, or run the kernel compiled")  # fmt: skip

    def _split(self, verb: str, addresses: Array, active: Array, kind: np.dtype[Any]) -> list[tuple[Segment, Array]]:
        """Returns the elements in each segment."""
        missing, parts = np.asarray(active, bool).copy(), []
        if missing.shape != addresses.shape:
            missing = np.broadcast_to(missing, addresses.shape).copy()
        for segment in self.segments:
            if not missing.any():
                break
            inside = missing & (addresses >= segment.start) & (addresses <= segment.end - kind.itemsize)
            if inside.any():
                parts.append((segment, inside))
                missing &= ~inside
        if missing.any():
            raise KernelAssertionError(self._outside(verb, int(addresses[missing].reshape(-1)[0]), kind),
                                       hint="mask the access: mask=offsets < n")  # fmt: skip
        return parts

    def _outside(self, verb: str, address: int, kind: np.dtype[Any]) -> str:
        def distance(segment: Segment) -> int:
            return max(segment.start - address, address - segment.end, 0)

        if not self.segments:
            return f"a {verb} at address {address:#x}, and no argument is a tensor"
        near = min(self.segments, key=distance)
        element = (address - near.start) // kind.itemsize
        count = (near.end - near.start) // kind.itemsize
        return f"a {verb} outside of every argument: element {element} of '{near.name}', which has {count}"
