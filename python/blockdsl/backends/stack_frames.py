"""Sizes of stack frames of an object file's functions, and the functions that they call.

LLVM writes a section with the sizes only with options that llvmlite lacks. A large frame is allocated by one
instruction. Its bytes are searched in the whole function, so a false match makes the result larger, never smaller.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_X86_64, _AARCH64 = 62, 183
_SYMBOLS, _FUNCTION = 2, 2

# sub rsp, imm32 and lea rsp, [rsp + disp32]
_X86_FRAME = re.compile(rb"\x48\x81\xec(....)|\x48\x8d\xa4\x24(....)", re.DOTALL)
# Further parts of a frame: saved registers, the return address, alignment.
_SAVED = 256


@dataclass(frozen=True)
class _Section:
    kind: int
    offset: int
    size: int
    link: int


def _sections(code: bytes) -> list[_Section]:
    offset, entry, count = struct.unpack_from("<Q", code, 0x28)[0], *struct.unpack_from("<HH", code, 0x3A)
    found = []
    for index in range(count):
        _, kind, _, _, at, size, link = struct.unpack_from("<IIQQQQI", code, offset + index * entry)
        found.append(_Section(kind, at, size, link))
    return found


@dataclass(frozen=True)
class _Symbol:
    name: str
    kind: int
    section: int
    value: int
    size: int


def _symbols(code: bytes, sections: list[_Section]) -> Iterator[_Symbol]:
    for symbols in (section for section in sections if section.kind == _SYMBOLS):
        names = sections[symbols.link].offset
        for at in range(symbols.offset, symbols.offset + symbols.size, 24):
            name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", code, at)
            text = code[names + name : code.index(b"\0", names + name)]
            yield _Symbol(text.decode(), info & 15, section, value, size)


def _functions(code: bytes) -> Iterator[tuple[str, bytes]]:
    sections = _sections(code)
    for symbol in _symbols(code, sections):
        if symbol.kind == _FUNCTION and symbol.section != 0:
            start = sections[symbol.section].offset + symbol.value
            yield symbol.name, code[start : start + symbol.size]


def undefined(code: bytes) -> frozenset[str]:
    """Returns the undefined symbols of an ELF object."""
    return frozenset(symbol.name for symbol in _symbols(code, _sections(code)) if symbol.section == 0) - {""}


def _x86_frame(function: bytes) -> int:
    largest = 0
    for found in _X86_FRAME.finditer(function):
        size = struct.unpack("<i", found[1])[0] if found[1] is not None else -struct.unpack("<i", found[2])[0]
        largest = max(largest, size)
    return largest


def _aarch64_frame(function: bytes) -> int:
    pages = rest = 0
    for (word,) in struct.iter_unpack("<I", function[: len(function) // 4 * 4]):
        # sub from sp, or from x9 for an aligned frame: #imm12, optionally in units of 4096 bytes
        if word & 0xFF800000 == 0xD1000000 and word >> 5 & 31 in (9, 31):
            number = word >> 10 & 0xFFF
            pages, rest = (max(pages, number << 12), rest) if word >> 22 & 1 else (pages, max(rest, number))
    return pages + rest


def frames(code: bytes) -> dict[str, int]:
    """Returns an upper bound of the stack bytes of each function in an ELF object for x86-64 or AArch64."""
    machine = struct.unpack_from("<H", code, 0x12)[0]
    assert machine in (_X86_64, _AARCH64)
    measure = _x86_frame if machine == _X86_64 else _aarch64_frame
    return {name: measure(function) + _SAVED for name, function in _functions(code)}


def stack_bytes(code: bytes) -> int:
    """Returns the stack bytes of a kernel's call: the sum over depths of functions that SplitKernels has made, of which
    a call runs one at a time per depth."""
    depths: dict[str, int] = {}
    for name, size in frames(code).items():
        piece = re.fullmatch(r"(.*\.programs)\.(\d+|loops)\.\d+", name)
        at = f"{piece[1]}.{piece[2]}" if piece else name
        depths[at] = max(depths.get(at, 0), size)
    return sum(depths.values())
