"""Tests of the loader of object files: valid files are loaded, and any other bytes are refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from blockdsl import _runtime
from blockdsl.backends import cpu

pytestmark = pytest.mark.skipif(not cpu.links_itself(), reason="LLVM's linker loads objects on this machine")
KERNELS = Path(__file__).parent / "kernels"


def compiled(name: str) -> bytes:
    return cpu.emit_object((KERNELS / f"{name}.ll").read_text(), cpu.host())


def load(data: bytes, name: str) -> _runtime.Kernel:
    return _runtime.Kernel(data, name, [(0, "n")], [], 0)


@pytest.mark.parametrize("name", ["add", "spin", "check", "show", "scratch"])
def test_kernels_load(name: str) -> None:
    load(compiled(name), name)


def test_kernels_share_mappings() -> None:
    """Linux gives a process 65,530."""
    data = compiled("show")

    def mappings() -> int:
        return len(Path("/proc/self/maps").read_text().splitlines())

    kernels = [load(data, "show")]
    before = mappings()
    kernels += [load(data, "show") for _ in range(200)]
    assert mappings() - before <= 220
    del kernels
    assert mappings() <= before + 10


def test_a_missing_function() -> None:
    with pytest.raises(ValueError, match="the object defines no function 'sub'"):
        load(compiled("add"), "sub")


def test_calls_are_limited_to_the_runtime() -> None:
    text = (KERNELS / "show.ll").read_text().replace("expm1", "malloc")
    with pytest.raises(ValueError, match="the code calls 'malloc', which kernels may not"):
        load(cpu.emit_object(text, cpu.host()), "show")


def test_an_object_for_another_machine() -> None:
    target = cpu.CPU("aarch64-unknown-linux-gnu", "generic", ("+neon",))
    data = cpu.emit_object((KERNELS / "add.ll").read_text(), target)
    with pytest.raises(ValueError, match="for another machine"):
        load(data, "add")


@pytest.mark.parametrize("data", [b"", b"\x7fELF", bytes(64), bytes(10_000)])
def test_not_an_object_file(data: bytes) -> None:
    with pytest.raises(ValueError, match="no relocatable 64-bit ELF object"):
        load(data, "add")


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Replaces a few bytes of the tables or headers, but none of the code, which is not run here, but would be."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        width = chance.choice([1, 2, 4, 8])
        value = chance.choice([0, 1, 0x7F, 0xFF, chance.getrandbits(64), 2**63, 2**32 - 1])
        changed[at : at + width] = (value % 256**width).to_bytes(width, "little")
    return bytes(changed[: len(data)])


@pytest.mark.parametrize("name", ["add", "show"])
def test_damaged_objects_are_refused_or_loaded(name: str) -> None:
    data = compiled(name)
    refused = 0
    for seed in range(4000):
        try:
            load(mutated(data, random.Random(seed)), name)
        except ValueError:
            refused += 1
    assert 100 < refused < 4000
    for length in range(0, len(data), 7):
        with pytest.raises(ValueError, match=r"object|section|symbol|relocation"):
            load(data[:length], name)


def test_only_permitted_symbols_are_resolved() -> None:
    symbols = _runtime.symbols()
    assert {"blockdsl_print", "memset", "__truncdfhf2", "expm1", "blockdsl_libm_expm1f"} <= symbols.keys()
    assert not {"malloc", "free", "printf"} & symbols.keys()
    assert 0 not in symbols.values()
    with pytest.raises(ValueError, match="no code at address 0"):
        _runtime.Kernel(0, "add", [], [], 0)


def test_kernel_is_initialized_once_with_valid_arguments() -> None:
    data = compiled("add")
    kernel = load(data, "add")
    with pytest.raises(RuntimeError, match="initialized once"):
        kernel.__init__(data, "add", [], [], 0)
    with pytest.raises(ValueError, match="an encoding is one of"):
        _runtime.Kernel(data, "add", [(0, "q")], [], 0)
    with pytest.raises(ValueError, match="negative"):
        _runtime.Kernel(data, "add", [(0, "n")], [], -1)
