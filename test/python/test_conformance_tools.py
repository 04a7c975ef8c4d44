"""Tests of the conformance runner itself: it detects each kind of failure."""

from __future__ import annotations

import os
import re
import time
from typing import Any

import numpy as np
import pytest
import torch

from conformance import oracle
from conformance.guard import GuardedBuffer
from conformance.libraries import rows
from conformance.pool import Lost, run_cases
from conformance.suites import inductor, ttir
from conformance.verdict import failed, listing, passed, skipped, table

USUAL = inductor.Tolerance(inductor.RELATIVE)


def buffer_of(values: list[float], written: int, element: str = "f32") -> oracle.Buffer:
    """Returns a buffer of the oracle with ``values``, of which programs wrote the first ``written``."""
    buffer = oracle.Buffer(element, lambda count: np.zeros(count, np.float32))
    buffer.grow(len(values))
    buffer.now.view(np.float32)[: len(values)] = values
    buffer.writer[:written] = 0
    buffer.extent = 4 * len(values)
    return buffer


def raw(values: list[float]) -> oracle.Array:
    return np.array(values, np.float32).view(np.uint8)


def test_equal_buffers_compare_equal() -> None:
    assert inductor.compare(raw([1, float("nan"), 0]), buffer_of([1, float("nan"), 0], 2), USUAL) == ""


def test_a_wrong_value_is_named_with_both_values() -> None:
    found = inductor.compare(raw([1, 2.5, 0]), buffer_of([1, 2, 0], 2), USUAL)
    assert found == "element 1 is 2.5, not 2.0 (1 of 3 differ)"


def test_rounding_difference_is_accepted() -> None:
    assert inductor.compare(raw([1.00001, 2]), buffer_of([1, 2], 2), USUAL) == ""


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_infinity_and_nan_are_never_close(value: float) -> None:
    assert inductor.compare(raw([value, 2]), buffer_of([1, 2], 2), USUAL)


def test_spurious_write_is_found() -> None:
    found = inductor.compare(raw([1, 2, 9]), buffer_of([1, 2, 0], 2), USUAL)
    assert found == "element 2 was written, though no program writes it"


def test_out_of_bounds_write_is_found() -> None:
    guarded = GuardedBuffer(np.zeros(5, np.float32))
    assert guarded.intact
    assert guarded.start % 64 == 0
    guarded.bytes[guarded.start + 20] = 0
    assert not guarded.intact
    guarded = GuardedBuffer(np.zeros(5, np.float32))
    guarded.bytes[guarded.start - 1] = 0
    assert not guarded.intact


def die_or_answer(case: str) -> str:
    if case == "dies":
        os._exit(7)
    end = time.process_time() + (60 if case == "works" else 0)
    while time.process_time() < end:
        pass
    time.sleep({"hangs": 60, "waits": 2}.get(case, 0))
    return case


def test_pool_survives_crashing_cases() -> None:
    cases = ["a", "dies", "b", "hangs", "c", "works"]
    start = time.monotonic()
    found = dict(run_cases(die_or_answer, cases, jobs=2, limit=1))
    assert time.monotonic() - start < 50
    assert [found[n] for n in (0, 2, 4)] == ["a", "b", "c"]
    assert isinstance(found[1], Lost)
    assert str(found[1]) == "the process ended with code 7"
    for n in (3, 5):
        assert isinstance(found[n], Lost)
        assert "no result after" in str(found[n])


def test_busy_processors_do_not_time_out_a_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.pool.PATIENCE", 1000)
    found = dict(run_cases(die_or_answer, ["waits", "works"], jobs=2, limit=0.5))
    assert found[0] == "waits"
    assert isinstance(found[1], Lost)


def test_parameters_of_a_printed_function() -> None:
    text = "tt.func public @k(%arg0: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %arg1: i64) attributes {} {"
    found = oracle.parameters(text)
    assert [(p.name, p.pointee, p.divisible) for p in found] == [("arg0", "bf16", True), ("arg1", None, False)]


def test_programs_that_share_results_are_noticed() -> None:
    buffer = buffer_of([0, 0, 0, 0], 0)
    memory = oracle.VirtualMemory(numpy_evaluator(), {0: buffer})
    pointers = np.array([oracle.VirtualMemory.address(0) + 4 * n for n in range(4)], np.uint64)
    kind = ElementPointer("f32")
    memory.store(pointers, np.ones(4, np.float32), kind, None)
    memory.program = 1
    with pytest.raises(oracle.ProgramsInterfere, match="program 1 touches"):
        memory.load(pointers, kind, None, None)


def test_programs_may_share_atomically_updated_memory() -> None:
    buffer = buffer_of([0, 0], 0)
    evaluator = numpy_evaluator()
    memory = oracle.VirtualMemory(evaluator, {0: buffer})
    pointers = np.array([oracle.VirtualMemory.address(0)], np.uint64)
    kind = ElementPointer("f32")
    for memory.program in range(3):
        old = memory.rmw(memory, pointers, kind)
        assert old.tolist() == [memory.program]
    assert not buffer.is_workspace
    memory.program = 3
    with pytest.raises(oracle.ProgramsInterfere, match="program 3 touches"):
        memory.load(pointers, kind, None, None)


def test_memory_updated_in_wider_accesses_is_a_workspace() -> None:
    """It begins with zeros, whichever elements are drawn."""
    buffer = oracle.Buffer("i8", lambda count: np.full(count, 3, np.uint8))
    memory = oracle.VirtualMemory(numpy_evaluator(), {0: buffer})
    pointers = np.array([oracle.VirtualMemory.address(0) + 4], np.uint64)
    assert memory.rmw(memory, pointers, ElementPointer("f32")).tolist() == [0]
    assert buffer.is_workspace
    assert buffer.extent == 8
    assert np.nonzero(buffer.writer >= 0)[0].tolist() == [4, 5, 6, 7]


def test_masked_lanes_access_nothing() -> None:
    buffer = buffer_of([1, 2], 0)
    memory = oracle.VirtualMemory(numpy_evaluator(), {0: buffer})
    pointers = np.array([oracle.VirtualMemory.address(0) + 4 * n for n in (0, 1 << 30)], np.uint64)
    mask = np.array([True, False])
    assert memory.load(pointers, ElementPointer("f32"), mask, np.float32(7)).tolist() == [1, 7]
    with pytest.raises(oracle.ImplausibleArguments, match="would need"):
        memory.load(pointers, ElementPointer("f32"), None, None)


class ElementPointer:
    """The evaluator's type of a pointer, with the attributes that memory reads."""

    def __init__(self, element: str) -> None:
        self.ptr = element


def numpy_evaluator() -> Any:
    class Evaluator:
        _DT = {"f32": np.float32}  # noqa: RUF012

        @staticmethod
        def _np_mem_dt(element: str) -> type:
            return Evaluator._DT[element]

        @staticmethod
        def _enc(values: oracle.Array, element: str) -> oracle.Array:
            return values.astype(Evaluator._DT[element])

        @staticmethod
        def plain_rmw(memory: oracle.VirtualMemory, pointers: oracle.Array, kind: ElementPointer) -> Any:
            old = memory.load(pointers, kind, None, None)
            memory.store(pointers, old + 1, kind, None)
            return old

    return Evaluator


def test_the_table_counts_passed_of_passed_and_failed() -> None:
    verdicts = [passed("s", "a"), passed("s", "b"), failed("s", "c", "why"), skipped("s", "d", "later")]
    assert table(verdicts, {"s": 61.4}).splitlines()[-1] == "| s | 2 | 3 | 1 | 66.7 % | 61 s |"
    assert listing(verdicts, failed("s", "c", "why").outcome) == "s: why\n    c"


def test_failure_is_classified_by_its_first_error() -> None:
    assert ttir.reason_of(1, "x.mlir:1:1: error: unknown op\nx.mlir:2:1: error: more") == "unknown op"
    assert ttir.reason_of(-6, "") == "ended by signal 6"


def row_of(library, gradients: bool = False) -> rows.Row:
    return rows.Row("square", library, torch.square, lambda: (rows.normal(3, 5),), gradients=gradients)


class HalfTheGradient(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(context, gradient):
        return gradient * context.saved_tensors[0]


WRONG = {
    "a value": (
        lambda x: torch.where(torch.arange(15).reshape(3, 5) == 7, 9, x * x),
        r"result 0: element 7 is 9, not ",
    ),
    "NaN": (lambda x: x * x * float("nan"), r"result 0: element 0 is nan, not "),
    "a shape": (lambda x: (x * x).T, r"result 0: shape \(5, 3\), not \(3, 5\)"),
    "a type": (lambda x: (x * x).int(), r"result 0: torch.int32, not torch.float64"),
    "a number of results": (lambda x: (x * x, x), "2 results, not 1"),
    "no result": (lambda x: None, "0 results, not 1"),
}


@pytest.mark.parametrize("what", WRONG)
def test_row_reports_differences(what: str) -> None:
    library, difference = WRONG[what]
    for dtype in rows.FLOATS:
        assert re.match(difference, rows.check(row_of(library), dtype))


def test_a_row_compares_gradients() -> None:
    assert rows.check(row_of(lambda x: x * x, gradients=True), "float32") == ""
    assert rows.check(row_of(HalfTheGradient.apply, gradients=True), "float32").startswith(
        "gradient, result 0: element 0"
    )
    assert rows.check(row_of(HalfTheGradient.apply), "float32") == ""


def test_row_tolerates_rounding_of_its_type() -> None:
    near = row_of(lambda x: x * x * 1.005)
    assert [bool(rows.check(near, dtype)) for dtype in rows.FLOATS] == [True, False, False]
