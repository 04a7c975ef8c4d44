"""Tests of the benchmarks' foundations: spreads, ratios, the machine's limits, and aligned tables."""

from __future__ import annotations

import multiprocessing
import re
import threading
import time

import pytest
import torch

from benchmarks import (
    between_ops,
    compile_curve,
    dot_limits,
    families,
    libraries,
    limits,
    scaling,
    stock,
    torch_compile,
)
from benchmarks.report import Row, aligned, markdown, seconds
from benchmarks.timing import OURS, TORCH, Spread, compare, seconds_per_call
from blockdsl import _runtime
from blockdsl.backends import cpu
from blockdsl.compiler.target import Target


def test_a_spread_is_median_and_quartiles() -> None:
    assert Spread.of([3.0]) == Spread(3.0, 3.0, 3.0)
    assert Spread.of([1.0, 2.0, 3.0, 4.0, 5.0]) == Spread(3.0, 1.5, 4.5)


def test_ratio_is_speedup() -> None:
    found = compare({OURS: lambda: time.sleep(2e-3), TORCH: lambda: time.sleep(50e-3)}, rounds=3)
    assert found.ratios[TORCH].median > 2
    assert OURS not in found.ratios


def test_seconds_are_per_call() -> None:
    assert 1e-3 < seconds_per_call(lambda: time.sleep(1e-3), 5) < 1e-1


@pytest.mark.parametrize(("value", "text"), [(1.5, "1.5 s"), (2.346e-3, "2.35 ms"), (9.9e-7, "990 ns"), (3e-6, "3 µs")])
def test_seconds_have_a_unit(value: float, text: str) -> None:
    assert seconds(value) == text


def test_rates_of_threads_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = threading.Barrier(3)
    monkeypatch.setattr(limits, "calls_per_second", lambda job, _seconds: job() or 5.0)
    assert limits.calls_together([lambda: meeting.wait(60) and None] * 3) == 15


def test_rates_of_processes_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = multiprocessing.get_context("fork").Barrier(3)
    monkeypatch.setattr(scaling, "calls_per_second", lambda call, _seconds: call() or 5.0)
    assert scaling.calls_of_processes(lambda: meeting.wait(60) and None, 3) == 15


def test_the_limits_of_this_machine_are_plausible() -> None:
    assert limits.lanes() in (4, 8, 16)
    assert limits.peak_flops(1) > 1e9
    bytes_per_second = 12 * (1 << 16) / limits.streaming_seconds(1 << 16, 2, 1)
    assert 1e8 < bytes_per_second < 1e13


def test_peaks_of_narrow_products_are_plausible() -> None:
    for dtype in dot_limits.INSTRUCTIONS:
        # Other programs may slow down either measurement.
        assert dot_limits.peak_operations(dtype, 1) > limits.peak_flops(1) / 4


EVERY_INSTRUCTION = [each for several in dot_limits.INSTRUCTIONS.values() for each in several]


@pytest.mark.parametrize("what", EVERY_INSTRUCTION, ids=[each.name for each in EVERY_INSTRUCTION])
def test_peak_counts_instructions_of_all_chains(what: dot_limits.Instruction) -> None:
    machine = Target("x86_64-unknown-linux-gnu", "sapphirerapids", what.features)
    found = cpu.emit_assembly(dot_limits.text_of("peak", what), machine)
    mnemonic = r"tdp\w+" if what.in_tiles else r"vdpbf16ps|vpdpbusd"
    count = len(re.findall(mnemonic, found))
    assert count > 0
    assert count % what.chains == 0


def row(ratio: float, at_least: float | None, at_most: float | None) -> Row:
    spread = Spread(2e-6, 2e-6, 2e-6)
    ratios = {TORCH: Spread(ratio, ratio, ratio)}
    return Row("k", "s", 1, 0.0, spread, {TORCH: spread}, ratios, 1e-6, at_least, at_most)


def test_row_reports_whether_it_meets_its_bound() -> None:
    assert row(1.5, 1.2, None).held is True
    assert row(1.1, 1.2, None).held is False
    assert row(0.1, None, 3e-6).held is True
    assert row(0.1, None, 1e-6).held is False
    assert row(0.1, None, None).held is None


def test_tables_are_aligned() -> None:
    lines = markdown([row(1.5, 1.2, None), row(1.1, 1.2, None)]).splitlines()
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1
    assert "1.50 x (1.50 to 1.50)" in lines[2]
    assert "NO" in lines[3]


def test_empty_columns_are_left_out() -> None:
    assert aligned(["a", "b"], [["x", ""], ["y", ""]], {0}).splitlines()[0] == "| a |"


def test_a_curve_has_an_exponent() -> None:
    lines = compile_curve.table([("stores_to_one_place", (10, 20), [1.0, 4.0])]).splitlines()
    assert lines[-1] == "| stores to one place | 10: 1.00, 20: 4.00 | 2.00 |"
    assert all(compile_curve.first_launch(name, 3) > 0 for name in compile_curve.KERNELS)


def test_kernel_between_ops_is_compared_with_its_time_alone() -> None:
    rows = list(between_ops.measure(1 << 12, rounds=2))
    assert [row.situation for row in rows] == list(between_ops.HELD_TO)
    for row in rows:
        assert set(row.took) == set(between_ops.WORKERS)
        assert row.held is (row.ratio.median <= between_ops.HELD_TO[row.situation])
        assert row.json()["held"] is row.held
        assert (row.torch is not None) is (row.situation == between_ops.AFTER_TORCH)
    assert _runtime.get_workers() in ("own", "torch")
    lines = between_ops.table(rows).splitlines()
    assert len(lines) == 2 + len(rows)
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize("family", families.PROGRAMS)
def test_programs_of_a_family_run(family: str) -> None:
    for name, (function, draw) in families.PROGRAMS[family].items():
        call = families.call_of(function, function, draw())
        first, second = call(), call()
        families.check(name, function, {"eager": first, "again": second})
        assert families.leaves(first), name


def test_number_of_programs() -> None:
    assert sum(map(len, families.PROGRAMS.values())) >= 80


def test_a_wrong_program_is_named() -> None:
    with pytest.raises(AssertionError, match="sums, by C\\+\\+: Tensor-likes are not close"):
        families.check("sums", torch.sum, {"eager": torch.ones(3), "C++": torch.zeros(3)})


def test_program_meets_its_bound_by_the_ratio() -> None:
    one = Spread.of([1.0])
    rows = [families.Row("sums", "of rows", 1, one, one, Spread(ratio, ratio - 0.1, ratio + 0.1)) for ratio in (0.5, 2)]
    assert [row.held for row in rows] == [False, True]
    assert families.mean(rows) == pytest.approx(1.0)
    assert families.table(rows).splitlines()[2].endswith("0.50 (0.40 to 0.60) | NO   |")


def test_torch_compile_row_is_compared_with_cpp_backend() -> None:
    def row(ratio: float) -> torch_compile.Row:
        spread = Spread(ratio, ratio, ratio)
        return torch_compile.Row("sum", 0.0, Spread.of([1e-3]), Spread.of([1e-3 * ratio]), spread)

    lines = torch_compile.table([row(1.25), row(0.75)]).splitlines()
    assert "1.25 (1.25 to 1.25) | yes" in lines[2]
    assert "0.75 (0.75 to 0.75) | NO" in lines[3]
    assert not torch_compile.Row("sum", 0.0, *3 * [Spread.of([0.5])]).json()["held"]


def test_difference_of_integers_and_floats() -> None:
    assert torch_compile.difference(torch.tensor([1, 2, 3, 4]), torch.tensor([1, 2, 3, 0])) == 0.25
    assert torch_compile.difference(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])) == 0.5


def test_output_of_processes_is_parsed() -> None:
    program = "import os, sys; print('loading'); print(len(os.listdir(os.environ['TORCHINDUCTOR_CACHE_DIR'])) + 0.5)"
    assert torch_compile.in_a_process(program) == 0.5


def test_process_measurements_use_the_median_of_ratios() -> None:
    found = torch_compile.Processes("cold", [1.0, 3.0, 2.0], [4.0, 10.0, 4.0], 0.3)
    assert str(found) == "cold: 2 s, 4 s: 0.30 (0.25 to 0.50), held to 0.3: yes"
    assert not torch_compile.Processes("cold", [2.0], [4.0], 0.3).held


def test_library_is_compared_by_each_ratio_and_geometric_mean() -> None:
    def row(ratio: float) -> libraries.Row:
        return libraries.Row("one", "add", Spread.of([1e-3]), Spread.of([ratio * 1e-3]), Spread.of([ratio]))

    lines = libraries.table([row(4.0), row(0.5)]).splitlines()
    assert [line.split("|")[-2].strip() for line in lines[2:]] == ["yes", "NO", "NO"]
    assert "1.41 x" in lines[-1]
    assert libraries.table([row(4.0), row(0.6)]).splitlines()[-1].split("|")[-2].strip() == "yes"


def test_kernels_of_stock_triton_beside_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock, "ROWS", 16)
    monkeypatch.setattr(stock, "SIDE", 64)
    # The results of each row are equal to the bit.
    assert [row[0] for row in stock.kernels(1)] == [
        "add, 1 Mi", "add, 16 Mi", "softmax, 16 x 1024", "layer norm, 16 x 1024", "matmul, 64"
    ]  # fmt: skip
    assert "handed over held to 1.5 µs: " in stock.launches(1)
