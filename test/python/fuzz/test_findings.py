"""Tests of the fuzzer's findings: wrong values, stray writes, crashes and hangs, each reduced and written to a file."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fuzz import judge, report, shrink
from fuzz.__main__ import verdict_of
from fuzz.bounded import AmbiguousError
from fuzz.judge import Difference, Expected, Verdict
from fuzz.program import Line, Number, Program, Tensor
from workers import run_all

ROOT = Path(__file__).resolve().parents[3]


def simple(text: str = "{0} * 2", grid: tuple[int, ...] = (3,)) -> Program:
    """A program that stores results of what it loads, with a few unused statements."""
    body = [
        Line("tl.program_id(0) * 8 + tl.arange(0, 8)", [], ["o"], [("int32", (8,))]),
        Line("tl.load({0} + {1}, mask={1} < {2})", ["x", "o", "n"], ["a"], [("int32", (8,))]),
        Line("tl.cumsum({0}, 0)", ["a"], ["b"], [("int32", (8,))]),
        Line(text, ["a", "b"], ["c"], [("int32", (8,))]),
        Line("tl.store({0} + {1}, {2})", ["unused", "o", "b"]),
        Line("tl.store({0} + {1}, {2}, mask={1} < {3})", ["z", "o", "c", "n"]),
    ]
    arguments = [Tensor("x", "int32", 21, "bits", 1), Tensor("unused", "int32", 24, "bits", 2, stored=True),
                 Tensor("z", "int32", 21, "bits", 3, stored=True), Number("n", 21)]  # fmt: skip
    return Program(0, grid, arguments, [], body)


def test_a_right_program_is_right() -> None:
    verdict = judge.judge(simple())
    assert verdict.difference is None
    assert verdict.lanes == (45, 0, 0)


def wrong(change: Any) -> Difference:
    """Returns the finding for a launch that leaves wrong memory."""
    program = simple()
    expected = judge.meaning(program)
    data = expected["z"].data.copy()
    change(data)
    found = judge.compare("z", data, expected["z"])
    assert found is not None
    return found


def test_a_wrong_value_is_found() -> None:
    def change(data: Any) -> None:
        data[5] += 1

    found = wrong(change)
    assert found.kind == "value"
    assert found.text.startswith("z[5] is ")


def test_element_without_store_must_not_change() -> None:
    program = simple("{0} * 2")
    program.body[-1].uses[3] = "o"  # type: ignore[union-attr]
    program.body[-1].text = "tl.store({0} + {1}, {2}, mask={1} < 3)"  # type: ignore[union-attr]
    expected = judge.meaning(program)
    data = expected["z"].data.copy()
    data[3] += 1
    found = judge.compare("z", data, expected["z"])
    assert found is not None
    assert found.kind == "untouched"


def test_programs_with_conflicting_stores_are_not_compared() -> None:
    program = simple()
    program.body[0].text = "tl.program_id(0) * 4 + tl.arange(0, 8)"  # type: ignore[union-attr]
    with pytest.raises(AmbiguousError, match="two programs meet"):
        judge.meaning(program)


def test_conflicting_elements_of_a_store_are_not_compared() -> None:
    program = simple()
    program.body[0].text = "tl.program_id(0) * 8 + tl.arange(0, 8) // 2"  # type: ignore[union-attr]
    with pytest.raises(AmbiguousError, match="two elements to one place"):
        judge.meaning(program)


def test_failing_program_is_shrunk() -> None:
    def fails(program: Program) -> Difference | None:
        """Finds a difference wherever a product by two is stored."""
        text = program.source()
        needed = "* 2" in text and "tl.store(z" in text and "c = " in text
        try:
            judge.meaning(program)
        except Exception:
            return None
        return Difference("value", "z") if needed else None

    small, found = shrink.shrunk(simple(), Difference("value", "z"), fails)
    assert found.kind == "value"
    assert "cumsum" not in small.source()
    assert "unused" not in small.source()
    assert small.grid == (1,)
    assert [each.name for each in small.arguments] == ["z"]


def body(item: str, phase: Any) -> Any:
    """The task of a worker in these tests."""
    phase(item)
    if item == "crash":
        sys.stderr.write("x: Assertion `something' failed.\n")
        sys.stderr.flush()
        os.write(2, b"x: Assertion `it holds' failed.\n")
        os.abort()
    if item == "hang":
        time.sleep(60)
    if item == "mistake":
        raise ValueError("ours")
    return Verdict()


def test_crash_or_timeout_is_a_finding() -> None:
    items = ["fine", "crash", "fine", "hang", "mistake", "fine"]
    outcomes = run_all(body, items, 2, 3.0)
    found = sorted((item, verdict_of(outcome).difference) for item, outcome in outcomes if item != "fine")
    assert [(item, difference.kind) for item, difference in found] == [
        ("crash", "crash"), ("hang", "hang"), ("mistake", "error")]  # fmt: skip
    assert "SIGABRT in crash: x: Assertion `it holds' failed." in found[0][1].text
    assert "hang in hang: over 3 s" in found[1][1].text
    assert "ValueError: ours" in found[2][1].text


@pytest.mark.parametrize(("change", "status"), [(0, 0), (1, 1)])
def test_the_file_runs_by_itself(change: int, status: int, tmp_path: Path) -> None:
    program = simple()
    expected = judge.meaning(program)
    expected["z"].data[4] += change
    path = report.write(tmp_path, program, Difference("value", "said"), expected)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert ("z 4 is" in done.stdout) == bool(change)


def test_the_file_of_floats_holds_their_bounds(tmp_path: Path) -> None:
    program = simple("tl.exp({0}.to(tl.float32))")
    program.arguments[0] = Tensor("x", "int32", 21, "small", 1)
    program.arguments[2] = Tensor("z", "float32", 21, "small", 3, stored=True)
    expected = judge.meaning(program)
    assert (expected["z"].error > 0).all()
    assert (expected["z"].error < 1e-2).all()
    path = report.write(tmp_path, program, Difference("value", "said"), expected)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert np.isfinite(expected["z"].error).all()


def keep(expected: Expected) -> None:
    pass


def lose_signs(expected: Expected) -> None:
    expected.data[:] = np.abs(expected.data)


def allow_anything(expected: Expected) -> None:
    expected.data[:] = 7
    expected.error = np.full(expected.data.size, np.inf)


@pytest.mark.parametrize(("text", "change", "status"), [
    ("({0} - {0}) / 0.0", keep, 0),
    ("{0} * -0.0", keep, 0),
    ("{0} * -0.0", lose_signs, 1),
    ("({0} - {0}) / 0.0", allow_anything, 0),
])  # fmt: skip
def test_reproducer_reports_the_failure(text: str, change: Any, status: int, tmp_path: Path) -> None:
    """All NaNs are equal, zeros have a sign, and unknown values are not compared."""
    program = simple(text)
    program.arguments[0] = Tensor("x", "int32", 21, "small", 1)
    program.arguments[2] = Tensor("z", "float32", 21, "small", 3, stored=True)
    expected = judge.meaning(program)
    change(expected["z"])
    path = report.write(tmp_path, program, Difference("value", "said"), expected)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    assert not done.stderr


@pytest.mark.parametrize("count", [2, 65])
@pytest.mark.parametrize("values", [[0, 1 << 31], [0x7F800001, 0xFFC00000], [0x7F800000, 0x7F800000], [0, 0x3F800000]])
def test_data_in_a_reproducer_is_bit_identical(values: list[int], count: int) -> None:
    data = np.resize(np.array(values, np.uint32), count).view(np.float32)
    names = {"np": np, "base64": base64, "zlib": zlib}
    assert eval(report._array(data), names).tobytes() == data.tobytes()
