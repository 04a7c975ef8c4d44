"""Messages of the loggers ``blockdsl.*``, by ``BLOCKDSL_LOGS`` and by handlers of a program."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import knobs

PROGRAM = """
import torch
import blockdsl
import blockdsl.language as tl


@blockdsl.autotune([blockdsl.Config({"BLOCK": size}) for size in (8, 16)], key=["n"])
@blockdsl.jit
def doubled(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


doubled[lambda meta: (blockdsl.cdiv(8, meta["BLOCK"]),)](torch.ones(8), 8)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def messages(program: Path, logs: str | None) -> list[str]:
    """Returns the lines on the standard error, without timestamps."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BLOCKDSL_")}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "BLOCKDSL_CACHE_DIR": str(program.parent / "kernels")}
    if logs is not None:
        environment["BLOCKDSL_LOGS"] = logs
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [re.sub(r"^[\d-]+ [\d:,]+ ", "", line) for line in done.stderr.splitlines()]


def test_no_logs_without_the_variable(program: Path) -> None:
    assert messages(program, None) == []


def test_logs_compilations_cache_and_choices(program: Path) -> None:
    first = messages(program, "all")
    compiled = [
        line for line in first if re.match(r"blockdsl\.compiler: compiled doubled for cpu:\w+ in \d+\.\d ms$", line)
    ]
    assert len(compiled) == 2
    chosen = r"blockdsl\.autotuner: chose BLOCK=(8|16), .* for doubled with key \(8, .*\), of 2 in \d+\.\d\d s$"
    assert [line for line in first if not re.match(chosen, line)] == compiled
    assert len(first) == 3

    again = messages(program, "compiler")
    found = r"blockdsl\.compiler: took doubled for cpu:\w+ from the disk cache in \d+\.\d ms$"
    assert [bool(re.match(found, line)) for line in again] == [True, True]


def test_details(program: Path) -> None:
    lines = messages(program, "+compiler,-autotuner")
    stages = r"blockdsl\.compiler: doubled: first module [\d.]+ ms, linalg [\d.]+ ms, .*asm [\d.]+ ms, rest [\d.]+ ms$"
    assert len([line for line in lines if re.match(stages, line)]) == 2
    assert len([line for line in lines if re.match(r"blockdsl\.compiler: doubled: key \w{64}$", line)]) == 2
    assert not [line for line in lines if "autotuner" in line]


def test_an_unknown_name_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_LOGS", "compiler,parser")
    with pytest.warns(
        RuntimeWarning, match="is ignored: expects names among autotuner, compiler and all, .* got parser"
    ):
        assert knobs.LOGS.get() == ()


def test_a_program_has_handlers_of_its_own(
    caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path))

    @blockdsl.jit
    def ones(x_ptr, BLOCK: tl.constexpr):
        tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)

    with caplog.at_level(logging.INFO, "blockdsl"):
        ones[(1,)](torch.empty(16), BLOCK=16)
    (record,) = caplog.records
    assert record.name == "blockdsl.compiler"
    assert record.getMessage().startswith("compiled ones for cpu:")
