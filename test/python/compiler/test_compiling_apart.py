"""Tests of crashes during compilation: a report in our process, an error at the kernel in a subprocess."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl import knobs
from blockdsl.backends.worker import Pool
from blockdsl.compiler import subprocess_compiler
from blockdsl.errors import CompilationError

HERE = Path(__file__).parent


@blockdsl.jit
def broken(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


def make_double() -> blockdsl.JITFunction:
    """Returns a kernel that is not compiled yet."""

    @blockdsl.jit
    def double(x, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

    return double


@pytest.fixture
def in_a_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("BLOCKDSL_COMPILE", "process")
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    pool = Pool(HERE / "crashing_answers.py")
    monkeypatch.setattr(subprocess_compiler, "_pool", pool)
    yield
    pool.end()


def run(case: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]), "BLOCKDSL_CACHE": "0"}
    command = [sys.executable, str(HERE / "crashing_program.py"), case]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


SAID = (
    "blockdsl: the process ends while kernel '{kernel}' ({file}:{line}) is compiled, in stage 'asm'; "
    "BLOCKDSL_COMPILE=process compiles in a process of its own\n"
)


def said(kernel: str, line: int) -> str:
    return SAID.format(kernel=kernel, file=HERE / "crashing_program.py", line=line)


def test_an_assertion_names_the_kernel() -> None:
    done = run("plain")
    assert done.returncode == -signal.SIGABRT
    assert "Already set a value for this node!" in done.stderr
    assert done.stderr.endswith(said("broken", 20))


def test_an_exit_names_the_kernel() -> None:
    done = run("exit")
    assert done.returncode == 1
    assert "couldn't allocate input reg for constraint '{nowhere}'" in done.stderr
    assert done.stderr.endswith(said("beyond", 30))
    done = run("exit after")
    assert (done.returncode, done.stderr) == (3, "")


def test_faulthandler_reports_after_crash_report() -> None:
    done = run("faulthandler")
    assert done.returncode == -signal.SIGABRT
    before, words, after = done.stderr.partition(said("broken", 20))
    assert words
    assert "Fatal Python error" not in before
    assert after.startswith("Fatal Python error: Aborted")


def test_no_crash_report_after_a_compilation() -> None:
    done = run("after")
    assert done.returncode == -signal.SIGABRT
    assert done.stderr == ""


def test_restores_signal_handlers() -> None:
    done = run("own handler")
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")


def test_crashed_subprocess_is_an_error_at_the_kernel(in_a_process: None) -> None:
    with pytest.raises(CompilationError) as caught:
        broken[(1,)](np.zeros(64, np.float32), 64)
    error = caught.value
    assert error.message == "compiling kernel 'broken' ended its process in stage 'asm': SIGABRT"
    assert error.hint is not None
    assert "Already set a value for this node!" in error.hint
    assert error.location is not None
    assert (error.location.file, error.location.function) == (__file__, "broken")
    # The next kernel gets another process.
    test_values(in_a_process)


@blockdsl.jit
def beyond(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


def test_exited_subprocess_is_an_error_at_the_kernel(in_a_process: None) -> None:
    with pytest.raises(CompilationError) as caught:
        beyond[(1,)](np.zeros(64, np.float32), 64)
    error = caught.value
    assert error.message == "compiling kernel 'beyond' ended its process in stage 'asm': exit status 1"
    assert error.hint is not None
    assert "couldn't allocate input reg for constraint '{nowhere}'" in error.hint
    test_values(in_a_process)


def test_values(in_a_process: None) -> None:
    x = np.arange(100, dtype=np.float32)
    out = np.zeros(100, np.float32)
    double = make_double()
    for given in (x, out):  # Not aliased, and in place.
        kernel = double[(2,)](given, out, 100, BLOCK=64)
    assert (out == 4 * x).all()
    assert kernel.options.merged == (0, 0, 2)
    ((_, worker),) = subprocess_compiler._pool._idle
    assert worker.is_alive()


@blockdsl.jit
def refused(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


def test_errors_of_stages_are_propagated(in_a_process: None) -> None:
    with pytest.raises(CompilationError, match="LLVM refuses the code that was made for the kernel: LLVM IR"):
        refused[(1,)](np.zeros(64, np.float32), 64)
    test_values(in_a_process)


def test_unknown_location_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_COMPILE", "elsewhere")
    with pytest.warns(RuntimeWarning, match="BLOCKDSL_COMPILE='elsewhere' is ignored: expects here or process"):
        assert knobs.COMPILE.get() == "here"
    monkeypatch.delenv("BLOCKDSL_COMPILE")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert knobs.COMPILE.get() == "here"
