"""Kernel binary for the CPU that Triton stores: machine code, launch metadata and the text of the tt module.

Triton sends it to other processes and stores it in its own cache, where the kernel's Python source and our cache need
not exist. The text is included because overlapping arguments need another variant of the kernel, compiled from it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from blockdsl.compiler import cache, entries
from blockdsl.compiler.cpu_kernel import CPUKernel, checked, compiled_entry, with_overrides
from blockdsl.compiler.options import Options
from blockdsl.compiler.overrides import STAGES, OverriddenProgram, later_stages
from blockdsl.compiler.program import Override, TextProgram
from blockdsl.compiler.signature import Signature
from blockdsl.compiler.target import host_identity
from blockdsl.errors import BlockdslError, LaunchError

_expected: ContextVar[str | None] = ContextVar("expected", default=None)
"""Triton's key of the kernel that is being loaded, if it is known."""

_NO_KERNEL = b"None"
"""Placeholder for a binary among the files that override stages: Triton cannot read our binaries."""


def pack(program: TextProgram, options: Options, key: str, llir: Override | None = None) -> bytes:
    """Compiles a kernel, or loads it from the disk cache, and returns its binary.

    Args:
        program: The module.
        options: The options of the compilation.
        key: Triton's key, a digest of the kernel, the options, the target, and the compilers.
        llir: LLVM's module, if it comes from a file.
    """
    found = OverriddenProgram(program, {"llir": llir}) if llir else with_overrides(program, options)
    entry = compiled_entry(found, options)
    if isinstance(found, OverriddenProgram) and "ttir" in found.overrides:
        ttir = found.overrides["ttir"]
        program = TextProgram(ttir.text, ttir.path)
    signature = program.signature
    carried = {
        "text": program.text,
        "origin": program.origin,
        "overrides": {stage: [file.path, file.text] for stage, file in later_stages(found).items()},
        "types": list(signature.types.items()),
        "divisibility": dict(signature.divisibility),
        "fp_fusion": options.fp_fusion,
        "sequential": options.sequential,
        "from_frontend": program.is_from_frontend,
    }
    return cache.encode(key, host_identity(), cache.Entry({**entry.metadata, "program": carried}, entry.object))


def is_cpu_binary(binary: object) -> bool:
    """Returns true for a binary of ours, false for one for a GPU."""
    return isinstance(binary, bytes) and binary.startswith(cache.MAGIC)


def unpack(binary: bytes) -> CPUKernel:
    """Loads the kernel of a binary.

    Raises:
        LaunchError: The binary is damaged, or was compiled for another machine.
    """
    entry, program, options = opened(binary)
    return CPUKernel(program, options, entry)


def opened(binary: bytes) -> tuple[cache.Entry, TextProgram, Options]:
    """Returns the machine code of a binary, the program it was compiled from, and the options.

    Raises:
        LaunchError: As ``unpack`` does.
    """
    if binary == _NO_KERNEL:
        raise LaunchError(
            "a file that ends in .blockdsl overrides a kernel, and cannot be read back",
            hint="keep in TRITON_OVERRIDE_DIR only what is edited: KERNEL.ttir or KERNEL.llir",
        )
    try:
        return _read(binary, _expected.get())
    except cache.Fault as fault:
        raise LaunchError(f"a kernel that Triton has kept cannot be used: {fault}",
                          hint="remove Triton's cache, or set TRITON_ALWAYS_COMPILE=1") from fault  # fmt: skip


@contextlib.contextmanager
def expected(key: str) -> Iterator[None]:
    """Context in which opening a binary with another key of Triton is an error."""
    token = _expected.set(key)
    try:
        yield
    finally:
        _expected.reset(token)


def check(binary: bytes, key: str) -> None:
    """Raises Fault unless a binary is complete, has Triton's key, and is for this machine."""
    _read(binary, key)


_is_strings = entries.list_of(entries.has_type(str))


def _is_pair(value: Any) -> bool:
    return _is_strings(value) and len(value) == 2


_CARRIED = {
    "text": entries.has_type(str),
    "origin": entries.has_type(str),
    "overrides": lambda value: type(value) is dict and set(value) <= set(STAGES) and all(map(_is_pair, value.values())),
    "types": entries.list_of(_is_pair),
    "divisibility": lambda value: type(value) is dict and all(map(entries.within(1, 1 << 62), value.values())),
    "fp_fusion": entries.has_type(bool),
    "sequential": entries.has_type(bool),
    "from_frontend": entries.has_type(bool),
}


def _read(binary: bytes, key: str | None) -> tuple[cache.Entry, TextProgram, Options]:
    entry = cache.decode(binary, key, host_identity())
    entries.check(entry.metadata, {"name": entries.has_type(str), "program": entries.has_type(dict)})
    carried: Any = entry.metadata["program"]
    entries.check(carried, _CARRIED)
    types = dict(carried["types"])
    signature = Signature(tuple(types), types, carried["divisibility"], is_signless=True)
    known = str(entry.metadata["name"]), signature
    overrides = {stage: Override(*file) for stage, file in carried["overrides"].items()}
    program = TextProgram(
        carried["text"], carried["origin"], known, is_shown=True, overrides=overrides,
        is_from_frontend=carried["from_frontend"],
    )  # fmt: skip
    try:
        checked(program, None, entry)
    except (BlockdslError, LookupError, ValueError) as error:
        raise cache.Fault(f"the types of its parameters are wrong: {error}") from None
    return entry, program, Options(fp_fusion=carried["fp_fusion"], sequential=carried["sequential"])
