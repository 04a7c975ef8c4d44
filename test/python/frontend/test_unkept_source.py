"""Tests of kernels whose source Python does not keep: from exec, ``python -c``, and standard input."""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import pty
import re
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import KernelSyntaxError, TypeMismatchError

PROGRAM = """import torch
import blockdsl
import blockdsl.language as tl

if True:
    @blockdsl.jit
    def five(x):
        tl.store(x, 5.0)

x = torch.zeros(1)
five[(1,)](x)
print(x.item())
"""


@pytest.mark.parametrize("interpreted", ["0", "1"])
def test_a_kernel_that_exec_defines(interpreted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_INTERPRET", interpreted)
    for number in (3, 4):
        names: dict[str, Any] = {"torch": torch}
        text = PROGRAM.replace("5.0", f"{number}.0")
        exec(text, names)
        assert names["x"].item() == number


@blockdsl.jit
def stores_next(x):
    tl.store(x, next_of(3))  # noqa: F821 - defined by the test


def test_a_constant_function_that_exec_defines(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (1, 2):
        names: dict[str, Any] = {}
        exec(f"def step(): return {step}\n\ndef next_of(n): return n + step()", names)
        monkeypatch.setitem(globals(), "next_of", blockdsl.constexpr_function(names["next_of"]))
        x = torch.zeros(1)
        stores_next[(1,)](x)
        assert x.item() == 3 + step


@pytest.mark.parametrize("name", ["<string>", "generated/kernel.py"])
def test_a_mistake_in_a_kernel_that_exec_defines_has_its_line(name: str) -> None:
    text = PROGRAM.replace("5.0", "tl.arange(0, 4) + tl.arange(0, 8)")
    with pytest.raises(TypeMismatchError) as got:
        exec(compile(text, name, "exec"), {})
    lines = str(got.value).splitlines()
    assert re.match(rf"  <{name.strip('<>')} [0-9a-f]{{8}}>:", lines[1])
    assert ":8:21, in five" in lines[1]
    assert lines[2].strip() == "tl.store(x, tl.arange(0, 4) + tl.arange(0, 8))"
    assert lines[3].strip("^ ") == ""


@pytest.mark.parametrize("kind", [str, Path])
def test_a_kernel_of_a_file_that_exec_was_given(kind: Any, tmp_path: Path) -> None:
    path = kind(tmp_path / "kernels.py")
    Path(path).write_text(PROGRAM, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(open(path, encoding="utf-8").read(), names)
    assert names["x"].item() == 5


def test_a_file_of_the_command_line_that_exec_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kernels.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["program", str(tmp_path / "kernels.py"), "--fast", "a\0b"])
    names: dict[str, Any] = {}
    exec(Path(sys.argv[1]).read_text(), names)
    assert names["x"].item() == 5


def test_a_file_that_has_changed_since_is_not_the_source(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(PROGRAM.replace("5.0", "6.0"), encoding="utf-8")
    with pytest.raises(KernelSyntaxError, match="the source of 'five' cannot be read"):
        exec(compile(PROGRAM.encode(), "<string>", "exec"), {"path": path})


def test_similar_text_is_not_used_as_source() -> None:
    decoy = "def five(x):\n    tl.store(x, 6.0)\n"
    with pytest.raises(KernelSyntaxError, match="the source of 'five' cannot be read") as got:
        exec(compile(PROGRAM.encode(), "<generated>", "exec"), {"decoy": decoy})
    assert got.value.hint == "define kernels in a file or a notebook cell"


def _finished(*command: str, unbuffered: str = "", **kwargs: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": unbuffered}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=300, env=environment, check=False, **kwargs
    )


def _run(*command: str, **kwargs: Any) -> str:
    done = _finished(*command, **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_program_on_the_command_line() -> None:
    assert _run("-c", PROGRAM) == "5.0\n"


def test_a_program_on_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with path.open() as file:
        assert _run("-", stdin=file) == "5.0\n"


FILLING = "# Four thousand bytes are what is read at a time.\n" * 100


@pytest.mark.parametrize("before", ["", FILLING])
def test_a_program_through_a_pipe(before: str) -> None:
    assert _run("-", input=before + PROGRAM) == "5.0\n"


def test_a_mistake_in_a_kernel_through_a_pipe_has_its_line() -> None:
    done = _finished("-", input=FILLING + PROGRAM.replace("5.0", "tl.arange(0, 4) + tl.arange(0, 8)"))
    assert re.search(
        r"<stdin \w+>:108:21, in five\n +tl\.store\(x, tl\.arange\(0, 4\) \+ tl\.arange\(0, 8\)\)\n +\^", done.stderr
    )


ADVICE = (
    "KernelSyntaxError: the source of 'five' cannot be read\n  hint: let Python read the file, as in "
    "'python program.py' or 'python < program.py': "
)


def test_kernel_before_the_buffered_part_of_a_pipe() -> None:
    done = _finished("-", input=PROGRAM + FILLING)
    assert done.stderr.endswith(ADVICE + "of a pipe only what came last is kept, at most four thousand bytes\n")


@pytest.mark.parametrize(("options", "unbuffered"), [([], "1"), (["-u"], "")])
def test_unbuffered_pipe(options: list[str], unbuffered: str) -> None:
    done = _finished(*options, "-", input=PROGRAM, unbuffered=unbuffered)
    assert done.stderr.endswith(
        ADVICE + "of a pipe that is read without a buffer (-u, PYTHONUNBUFFERED) nothing is kept\n"
    )


def test_file_is_reread_with_or_without_buffer(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + FILLING)
    with path.open() as file:
        assert _run("-u", "-", stdin=file) == "5.0\n"


def _written(parts: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a program from a pipe, in parts, each of which is read before the next is written."""
    reader, writer = os.pipe()

    def write() -> None:
        with os.fdopen(writer, "w") as pipe:
            for part in parts:
                pipe.write(part)
                pipe.flush()
                while _unread(reader):
                    time.sleep(0.01)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        return _finished("-", stdin=reader)
    finally:
        thread.join()
        os.close(reader)


def _unread(pipe: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_a_program_through_a_pipe_in_parts() -> None:
    # The last input hides the beginning of the input before it.
    head, tail = PROGRAM.split("x = torch", 1)
    done = _written([FILLING[:1000] + head, "x = torch" + tail])
    assert done.stdout == "5.0\n", done.stderr


def test_a_program_through_a_pipe_line_by_line() -> None:
    done = _written(PROGRAM.splitlines(keepends=True))
    assert done.stderr.endswith(ADVICE + "of a pipe only what came last is kept, at most four thousand bytes\n")


TYPED = """import torch, blockdsl, blockdsl.language as tl
@blockdsl.jit
def five(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 5.0)

x = torch.zeros(4)
"five", five[(1,)](x, 4), x.sum().item()
@blockdsl.jit
def five(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.zeros([8], tl.float32))

five[(1,)](x, 4)
"""


def _at_the_prompt(*options: str) -> str:
    """Returns the output of a terminal in which a program is typed, line by line."""
    terminal, other = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "dumb", "PYTHON_BASIC_REPL": "1"}
    command = [sys.executable, "-q", *options]
    with subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True):
        os.close(other)
        output = b""
        for line in [*TYPED.splitlines(), "\x04"]:
            while not output.endswith((b">>> ", b"... ")):
                output += os.read(terminal, 4096)
            os.write(terminal, f"{line}\n".encode())
            output += b"\n"
        # A terminal whose other end is closed cannot be read.
        with contextlib.suppress(OSError):
            while more := os.read(terminal, 4096):
                output += more
    os.close(terminal)
    return output.decode().replace("\r", "")


def test_a_kernel_at_the_prompt() -> None:
    output = _at_the_prompt()
    assert "('five', <CompiledKernel five>, 20.0)\n" in output, output
    assert re.search(
        r"8 and 4 differ at axis 0\n  <stdin \w+>:3:5, in five\n +tl\.store\(x \+ tl\.arange\(0, N\)", output
    )


def test_a_prompt_without_readline() -> None:
    # Python imports it for a prompt, but not in isolated mode.
    assert ADVICE + "of what is typed nothing is kept without readline\n" in _at_the_prompt("-I")


def test_a_pipe_with_a_name() -> None:
    done = _finished("/dev/stdin", input=PROGRAM)
    assert done.stderr.endswith(ADVICE + "'/dev/stdin' is a pipe, of which nothing is kept\n")


def test_a_cell_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "/tmp/ipykernel_77/1234567890.py"
    monkeypatch.setitem(sys.modules["linecache"].cache, name, (len(PROGRAM), None, PROGRAM.splitlines(True), name))
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(PROGRAM, name, "exec"), names)
    assert names["x"].item() == 5
    assert names["five"].source.file == name
    assert isinstance(names["five"], type(blockdsl.jit(_kernel)))


def _kernel(x):
    tl.store(x, 1.0)
