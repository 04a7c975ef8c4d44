"""Tests of object code that tests share: for equal texts and CPUs, between processes, and not after a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from blockdsl.backends import cpu
from blockdsl.backends.exports import Export
from shared_code import sharing

HASWELL = cpu.CPU("x86_64-unknown-linux-gnu", "haswell", ("+avx2",))
EXPORT = Export("add", (), 0)


class Emitter:
    """Replaces LLVM."""

    def __init__(self) -> None:
        self.given: list[tuple[object, ...]] = []

    def __call__(self, llvm_ir: str, target: cpu.CPU, export: Export | None = None) -> bytes:
        if llvm_ir == "wrong":
            raise ValueError(llvm_ir)
        self.given.append((llvm_ir, target, export))
        return f"{llvm_ir} {len(self.given)}".encode()


def test_equal_texts_are_compiled_once(tmp_path: Path) -> None:
    first, second = Emitter(), Emitter()
    assert [sharing(each, tmp_path)("add", HASWELL) for each in (first, first, second)] == [b"add 1"] * 3
    assert (len(first.given), len(second.given)) == (1, 0)


def test_different_texts_are_compiled(tmp_path: Path) -> None:
    emitter = Emitter()
    share = sharing(emitter, tmp_path)
    wider = cpu.CPU(HASWELL.triple, HASWELL.cpu, ("+avx512f",))
    different = [("add", HASWELL), ("sub", HASWELL), ("add", wider), ("add", HASWELL, EXPORT)]
    assert len({share(*each) for each in different}) == len(different)
    assert len(emitter.given) == len(different)


def test_failure_is_not_cached(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="wrong"):
            sharing(Emitter(), tmp_path)("wrong", HASWELL)
    assert not list(tmp_path.iterdir())


def test_tests_share_object_code() -> None:
    assert cpu.emit_object.__name__ == "emit_object" and hasattr(cpu.emit_object, "__wrapped__")
