"""Tests of the interpreter beyond values: wrong accesses, breakpoints, and refused launches."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import KernelAssertionError, LaunchError, LaunchWarning, TypeMismatchError
from blockdsl.interpreter import programs


@blockdsl.jit
def copy(x_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at), mask=at < n)


def launch(kernel: Any, grid: Any, **arguments: Any) -> None:
    interpreter.run(kernel.source, arguments, grid)


def test_numpy_arrays_and_views_are_arguments() -> None:
    x, out = np.arange(64, dtype=np.float32)[16:32], np.zeros(16, np.float32)
    launch(copy, (2,), x_ptr=x, out_ptr=out, n=16, N=8)
    np.testing.assert_array_equal(out, x)


def test_a_load_outside_of_the_memory_is_an_error_with_its_line() -> None:
    x, out = torch.zeros(10), torch.zeros(16)
    with pytest.raises(KernelAssertionError) as caught:
        launch(copy, (1,), x_ptr=x, out_ptr=out, n=16, N=16)
    assert caught.value.message == "a load outside of every argument: element 10 of 'x_ptr', which has 10"
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
    assert "tl.load(x_ptr + at)" in str(caught.value)


def test_a_store_outside_of_the_memory_is_an_error() -> None:
    with pytest.raises(KernelAssertionError, match="a store outside of every argument: element 10 of 'out_ptr'"):
        launch(copy, (1,), x_ptr=torch.zeros(16), out_ptr=torch.zeros(10), n=16, N=16)


def test_read_only_memory_is_not_written() -> None:
    out = np.zeros(8, np.float32)
    out.setflags(write=False)
    with pytest.raises(LaunchError, match="'out_ptr' is read-only, and the kernel stores to it"):
        launch(copy, (1,), x_ptr=np.ones(8, np.float32), out_ptr=out, n=8, N=8)
    assert not out.any()


def test_empty_grid_runs_nothing() -> None:
    launch(copy, (0,), x_ptr=torch.zeros(1), out_ptr=torch.zeros(1), n=8, N=8)


@blockdsl.jit
def checked(x_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_assert(x > 0, "positive", mask=x != -1)


def test_device_assertions() -> None:
    launch(checked, (1,), x_ptr=torch.tensor([1.0, -1.0]), N=2)
    with pytest.raises(KernelAssertionError, match=r"device_assert failed in program \(0, 0, 0\): positive"):
        launch(checked, (1,), x_ptr=torch.tensor([1.0, -2.0]), N=2)


@blockdsl.jit
def mismatched(x_ptr):
    tl.store(x_ptr + tl.arange(0, 8), tl.arange(0, 8) + tl.arange(0, 4))


def test_mistakes_have_the_kernels_line() -> None:
    with pytest.raises(TypeMismatchError) as caught:
        launch(mismatched, (1,), x_ptr=torch.zeros(8))
    assert "tl.arange(0, 8) + tl.arange(0, 4)" in str(caught.value)


@blockdsl.jit
def printing(x_ptr, N: tl.constexpr):
    tl.static_print("block", N)
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, N)), hex=True)


def test_prints(capsys: pytest.CaptureFixture[str]) -> None:
    launch(printing, (2,), x_ptr=torch.tensor([10, 255]), N=2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "block 2"
    assert lines[1:3] == [f"pid (0, 0, 0) idx ({at}) x: 0x{value:016x}" for at, value in enumerate([10, 255])]
    assert lines[3] == f"pid (1, 0, 0) idx (0) x: 0x{10:016x}"


@blockdsl.jit
def methods_of_numbers(x_ptr, n, HALF: tl.constexpr):
    found = False
    for i in range(n):
        found = True
    tl.store(x_ptr, found.to(tl.float32))
    tl.store(x_ptr + 1, (n * 3 + 4).to(tl.int8))
    tl.store(x_ptr + 2 + tl.arange(0, 2), (n + 5).broadcast_to((2,)))
    tl.store(x_ptr + 4, HALF.value.to(tl.float16) + (n == 1).to(n.dtype))


@pytest.mark.parametrize("n", [1, 2])
def test_a_number_has_the_methods_of_a_scalar_as_when_it_is_compiled(n: int) -> None:
    compiled = torch.zeros(5)
    interpreted = torch.zeros(5)
    methods_of_numbers[(1,)](compiled, n, HALF=0.5)
    launch(methods_of_numbers, (1,), x_ptr=interpreted, n=n, HALF=0.5)
    assert interpreted.tolist() == [1.0, n * 3 + 4, n + 5, n + 5, 0.5 + (n == 1)]
    assert compiled.tolist() == interpreted.tolist()


PROGRAM = """
import blockdsl, blockdsl.language as tl, torch

@blockdsl.jit
def doubled(v):
    breakpoint()
    return v * 2

@blockdsl.jit
def kernel(x_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x_ptr + at, doubled(tl.load(x_ptr + at)))

x = torch.arange(4.0)
kernel[(1,)](x, N=4)
print(x.tolist())
"""


def test_breakpoints_stop_in_the_kernel(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    found = subprocess.run(
        [sys.executable, str(path)],
        input="print(v.handle.tolist())\ncontinue\n",
        text=True,
        capture_output=True,
        check=True,
        env={"BLOCKDSL_INTERPRET": "1", "PYTHONPATH": str(Path(blockdsl.__file__).parents[1]), "PATH": ""},
    )
    assert "[0.0, 1.0, 2.0, 3.0]" in found.stdout
    assert "-> return v * 2" in found.stdout
    assert found.stdout.rstrip().endswith("[0.0, 2.0, 4.0, 6.0]")


class Clock:
    """A clock that advances at every read."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


@blockdsl.jit
def counts(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) + 1)


@pytest.mark.parametrize(
    ("grid", "step", "words"),
    [
        ((10, 40), 0.5, "the interpreter runs the 400 programs of kernel 'counts' one after the other, which takes "
                        "about 5 minutes: launch a smaller grid, or unset BLOCKDSL_INTERPRET"),
        ((10, 40), 0.001, None),
        ((400,), 0.1, None),
    ],
)  # fmt: skip
def test_long_launch_warns(
    grid: tuple[int, ...], step: float, words: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "time", Clock(step))
    x = torch.zeros(1, dtype=torch.int32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        interpreter.run(counts.source, {"x_ptr": x}, grid)
    assert x.item() == 400
    assert [str(each.message) for each in caught] == ([] if words is None else [words])
    assert all(each.category is LaunchWarning for each in caught)


def test_huge_grid_warns_with_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "time", Clock(0.4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LaunchWarning, match=r"the 2147483647 programs .* about \d+ days"):
            interpreter.run(counts.source, {"x_ptr": torch.zeros(1)}, (2**31 - 1,))
