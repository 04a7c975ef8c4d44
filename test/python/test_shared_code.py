"""Tests of files that the processes of a run share: object code of equal texts, and results."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from blockdsl.backends import cpu
from blockdsl.backends.exports import Export
from shared_code import once, sharing

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


def _append(log: Path) -> None:
    def write(path: Path) -> None:
        with log.open("a") as file:
            file.write("written\n")
        time.sleep(0.1)
        path.write_text("result")

    assert once(log.with_name("shared.txt"), write).read_text() == "result"


def test_a_result_is_written_by_one_of_the_processes(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=_append, args=(tmp_path / "log",)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert (tmp_path / "log").read_text() == "written\n"


def test_a_result_is_written_again_after_a_failure(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_text("incomplete")
        raise ValueError("no result")

    with pytest.raises(ValueError, match="no result"):
        once(tmp_path / "result", fail)
    assert once(tmp_path / "result", lambda path: path.write_text("complete")).read_text() == "complete"


def test_tests_share_object_code() -> None:
    assert cpu.emit_object.__name__ == "emit_object" and hasattr(cpu.emit_object, "__wrapped__")
