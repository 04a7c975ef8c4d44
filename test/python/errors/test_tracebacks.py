"""Tracebacks of mistakes: the user's frames and the error, without frames of the package."""

from __future__ import annotations

import logging
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_messages  # registers the cases
import torch
from refusals import CASES

import blockdsl
import blockdsl.language as tl
from blockdsl import tracebacks
from blockdsl.errors import BlockdslError, CompilationError, KernelAssertionError, LaunchError, TypeMismatchError
from blockdsl.interpreted import InterpretedFunction
from blockdsl.language.op import OPS
from blockdsl.tools.tensor_descriptor import TensorDescriptor

PACKAGE = str(Path(blockdsl.__file__).parent)
assert test_messages.CASES is CASES


def raised(call: Callable[[], object]) -> BlockdslError:
    """Returns the error of a mistake, with its traceback in this function."""
    try:
        call()
    except BlockdslError as error:
        return error
    raise AssertionError("no error")


def files(error: BaseException) -> list[str]:
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)]


def printed(error: BaseException) -> list[str]:
    return "".join(traceback.format_exception(error)).splitlines()


def expect_short(error: BaseException) -> None:
    """Checks that a program in which one frame calls the package prints at most 12 lines."""
    text = "\n".join(printed(error))
    frames = traceback.format_tb(error.__traceback__)
    assert not [file for file in files(error) if file.startswith(PACKAGE)], text
    assert text.count("Traceback (most recent call last)") == 1, text
    lines_of_frames = sum(len(frame.splitlines()) for frame in frames)
    # A frame has at most three lines: location, source, carets.
    assert len(printed(error)) - lines_of_frames + 3 <= 12, text


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_in_a_kernel(name: str) -> None:
    case = CASES[name]
    types, constants = case.specialization.types, case.specialization.constants
    signature = {each: kind for each, kind in types.items() if each in case.kernel.arg_names}
    expect_short(raised(lambda: blockdsl.compile(case.kernel, signature, dict(constants))))


@blockdsl.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, x, mask=offsets < n)


@blockdsl.jit
def misspelled(x_ptr):
    tl.store(x_ptr, tl.ecp(tl.load(x_ptr)))


@blockdsl.jit
def adds_a_text(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) + "text")


@blockdsl.jit
def adds_shapes(x_ptr):
    offsets = tl.arange(0, 16)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) + tl.arange(0, 8))


@blockdsl.jit
def asserts(x_ptr):
    tl.device_assert(tl.load(x_ptr) > 1.0, "too small")


@tl.constexpr_function
def halved(n):
    return n / 0


@blockdsl.jit
def calls_python(x_ptr):
    tl.store(x_ptr, halved(3))


@blockdsl.jit
def inner(x_ptr):
    tl.store(x_ptr, tl.arange(0, 3))


@blockdsl.jit
def outer(x_ptr):
    inner(x_ptr)


def x() -> torch.Tensor:
    return torch.zeros(64)


def unaligned() -> torch.Tensor:
    return torch.zeros(65)[1:]


def read_only() -> Any:
    array = np.zeros(64, np.float32)
    array.flags.writeable = False
    return array


LAUNCHES: dict[str, Callable[[Any], object]] = {
    "a name that is none": lambda of: of(misspelled)[(1,)](x()),
    "a text in arithmetic": lambda of: of(adds_a_text)[(1,)](x()),
    "shapes that differ": lambda of: of(adds_shapes)[(1,)](x()),
    "a failed assertion": lambda of: of(asserts)[(1,)](x()),
    "a function that raises": lambda of: of(calls_python)[(1,)](x()),
    "a mistake in a called kernel": lambda of: of(outer)[(1,)](x()),
    "no grid": lambda of: of(add)(x(), x(), 64, BLOCK=64),
    "a grid of floats": lambda of: of(add)[(64 / 64,)](x(), x(), 64, BLOCK=64),
    "a grid of four": lambda of: of(add)[(1, 1, 1, 1)](x(), x(), 64, BLOCK=64),
    "a grid's function without the name": lambda of: of(add)[lambda meta: (meta["BLOK"],)](x(), x(), 64, BLOCK=64),
    "a grid's function without a parameter": lambda of: of(add)[lambda: (1,)](x(), x(), 64, BLOCK=64),
    "an unknown keyword": lambda of: of(add)[(1,)](x(), x(), 64, BLOK=64),
    "a missing argument": lambda of: of(add)[(1,)](x(), x(), BLOCK=64),
    "too many arguments": lambda of: of(add)[(1,)](x(), x(), 64, 64, 64),
    "an argument twice": lambda of: of(add)[(1,)](x(), x(), 64, 64, BLOCK=64),
    "a list": lambda of: of(add)[(1,)]([1.0], x(), 64, BLOCK=64),
    "a text": lambda of: of(add)[(1,)]("x", x(), 64, BLOCK=64),
    "complex numbers": lambda of: of(add)[(1,)](x().to(torch.complex64), x(), 64, BLOCK=64),
    "a meta tensor": lambda of: of(add)[(1,)](x().to("meta"), x(), 64, BLOCK=64),
    "read-only memory": lambda of: of(add)[(1,)](x(), read_only(), 64, BLOCK=64),
    "a number in place of a pointer": lambda of: of(add)[(1,)](64, x(), x(), BLOCK=64),
    "a block that is no power of two": lambda of: of(add)[(1,)](x(), x(), 64, BLOCK=63),
    "a block of floats": lambda of: of(add)[(1,)](x(), x(), 64, BLOCK=64.0),
    "an option out of range": lambda of: of(add)[(1,)](x(), x(), 64, BLOCK=64, num_warps=3),
    "run": lambda of: of(add).run(x(), x(), grid=(1,), BLOCK=64),
    "warmup": lambda of: of(add).warmup(x(), x(), grid=(1,), BLOCK=64),
    "warmup for no target": lambda of: of(add).warmup(x(), x(), 1, grid=(1,), BLOCK=64, target="gpu"),
    "preload": lambda of: of(add).preload("{}"),
}

MODES: dict[str, Callable[[Any], Any]] = {
    "compiled": lambda kernel: kernel,
    "interpreted": lambda kernel: InterpretedFunction(kernel.fn),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("launch", LAUNCHES)
def test_a_launch(launch: str, mode: str) -> None:
    expect_short(raised(lambda: LAUNCHES[launch](MODES[mode])))


TUNED = blockdsl.autotune([blockdsl.Config({"BLOCK": 64}), blockdsl.Config({"BLOCK": 128})], key=["n"])(add)
RULED = blockdsl.heuristics({"BLOCK": lambda args: 64})(add)

HOSTS: dict[str, Callable[[], object]] = {
    "a tuned launch": lambda: TUNED[(1.5,)](x(), x(), 64),
    "a tuned launch without an argument": lambda: TUNED[(1,)](x(), x()),
    "a tuned launch without a grid": lambda: TUNED(x(), x(), 64),
    "a tuned launch given what is tuned": lambda: TUNED[(1,)](x(), x(), 64, BLOCK=3),
    "a ruled launch": lambda: RULED[(1.5,)](x(), x(), 64),
    "a ruled warmup": lambda: RULED.warmup(x(), x(), grid=(1,)),
    "autotune of a function": lambda: blockdsl.autotune([], key=[])(halved.function),
    "autotune by no parameter": lambda: blockdsl.autotune([], key=["m"])(add),
    "heuristics of a function": lambda: blockdsl.heuristics({})(halved.function),
    "jit of no function": lambda: blockdsl.jit(3),
    "jit of no function, later": lambda: blockdsl.jit()(3),
    "compile of nothing": lambda: blockdsl.compile(3),
    "compile without types": lambda: blockdsl.compile(add, {"x": "*fp32"}, {"BLOCK": 64}),
    "a descriptor": lambda: TensorDescriptor.from_tensor(x(), [3]),
    "an op on the host": lambda: tl.load(x()),
    "a library's function on the host": lambda: tl.softmax(x()),
    "a name of the language": lambda: tl.tensr,
    "a compiled kernel": lambda: blockdsl.compile(add, {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}, {"BLOCK": 64})[
        (1,)
    ](x(), x(), "n", 64),
    "an unaligned argument": lambda: blockdsl.compile(
        add, {"x_ptr": "*fp32:16", "y_ptr": "*fp32", "n": "i32"}, {"BLOCK": 64}
    )[(1,)](unaligned(), x(), 64, 64),
}


@pytest.mark.parametrize("call", HOSTS)
def test_host_side_call(call: str) -> None:
    error = raised(HOSTS[call])
    ours = [file for file in files(error) if file.startswith(PACKAGE)]
    assert len(ours) <= 1, "\n".join(printed(error))
    assert len(printed(error)) <= 15, "\n".join(printed(error))


def test_frames_of_a_function_that_runs_while_a_kernel_is_compiled() -> None:
    error = raised(lambda: calls_python[(1,)](x()))
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert (last.name, last.line) == ("halved", "return n / 0")


def test_frames_of_an_interpreted_kernel() -> None:
    error = raised(lambda: InterpretedFunction(outer.fn)[(1,)](x()))
    mine = [frame.name for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
    assert mine[-2:] == ["outer", "inner"]


def test_full_traceback_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_FULL_TRACEBACK", "1")
    error = raised(lambda: misspelled[(1,)](x()))
    assert len([file for file in files(error) if file.startswith(PACKAGE)]) > 10
    error = raised(lambda: add[lambda meta: (meta["BLOK"],)](x(), x(), 64, BLOCK=64))
    assert isinstance(error.__cause__, KeyError)


def test_a_defect_keeps_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("an op")

    monkeypatch.setattr(OPS["load"], "emit_rule", broken)
    error = raised(lambda: adds_a_text[(1,)](x()))
    assert isinstance(error, CompilationError)
    assert isinstance(error.__cause__, KeyError)
    assert files(error.__cause__)[-1] == __file__
    assert not [file for file in files(error) if file.startswith(PACKAGE)]


class OwnError(Exception):
    """An error class of the program's."""


def test_context_of_the_caller_is_kept() -> None:
    for launch in (
        lambda: add[(1.5,)](x(), x(), 64, BLOCK=64),
        lambda: add.warmup(x(), grid=(1,)),
        lambda: InterpretedFunction(add.fn)[lambda meta: (meta["BLOK"],)](x(), x(), 64, BLOCK=64),
    ):
        own = OwnError()
        try:
            raise own
        except OwnError:
            error = raised(launch)
        assert error.__context__ is own
        assert not error.__suppress_context__


def test_other_exceptions_keep_their_frames() -> None:
    def grid(meta: object) -> object:
        raise OwnError

    def hook(*args: object, **kwargs: object) -> None:
        raise OwnError

    ruled = blockdsl.heuristics({"BLOCK": hook})(add)
    for launch, name in (
        (lambda: add[grid](x(), x(), 64, BLOCK=64), "grid"),
        (lambda: InterpretedFunction(add.fn)[grid](x(), x(), 64, BLOCK=64), "grid"),
        (lambda: ruled[(1,)](x(), x(), 64), "hook"),
    ):
        with pytest.raises(OwnError) as caught:
            launch()
        assert caught.traceback[-1].name == name


def test_standard_library_frames_below_ours_are_removed() -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(TypeMismatchError) as caught,
        blockdsl.AsyncCompileMode(pool),
    ):
        adds_shapes.warmup(torch.float32, grid=(1,))
    expect_short(caught.value)
    assert not [file for file in files(caught.value) if "concurrent" in file]


def test_an_error_without_a_traceback() -> None:
    error = LaunchError("made by hand")
    tracebacks.trim(error, None)
    assert error.__traceback__ is None


def test_logged_traceback_is_short(caplog: pytest.LogCaptureFixture) -> None:
    try:
        asserts[(1,)](x())
    except KernelAssertionError:
        logging.exception("a launch")
    assert caplog.text.count('File "') == 1


@pytest.mark.parametrize("variable", ["BLOCKDSL_INTERPRET", "PYTHONUNBUFFERED"])
def test_a_program(tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, blockdsl, blockdsl.language as tl\n\n"
        "@blockdsl.jit\n"
        "def kernel(x_ptr):\n"
        "    x = tl.load(x_ptr + tl.arange(0, 16))\n"
        "    tl.store(x_ptr + tl.arange(0, 8), x)\n\n"
        "kernel[(1,)](np.zeros(16, np.float32))\n"
    )
    monkeypatch.setenv(variable, "1")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert len(lines) <= 12, done.stderr
    assert "blockdsl.errors.TypeMismatchError: " in done.stderr
    assert PACKAGE not in done.stderr
