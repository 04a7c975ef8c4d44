"""Our kernel time against Triton's on the same source: interleaved, on the same tensors, with equal results."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch

from benchmarks.cuda import sources
from benchmarks.cuda.cases import Case, cases
from benchmarks.cuda.sources import OURS, TRITON
from benchmarks.report import aligned, seconds
from benchmarks.timing import Spread

HELD_TO = (0.97, 1.03)
"""Our time over Triton's."""

ROUND_SECONDS = 8e-3


def check(case: Case, kernels: dict[str, ModuleType]) -> float:
    """Returns the larger of the compilers' errors against torch. Prints a note if their results differ."""
    expected = case.reference().double()
    outputs, errors = [], []
    for name, module in kernels.items():
        poisoned = case.launch(module).fill_(float("nan"))
        outputs.append(case.launch(module).clone())
        errors.append(float((outputs[-1].double() - expected).abs().max()))
        if not errors[-1] <= case.tolerance or poisoned.isnan().any():
            raise SystemExit(f"{case.name}: {name} is off by {errors[-1]:.2e}")
    if not torch.equal(*outputs):
        print(f"{case.name}: the two compilers' results differ by {float((outputs[0] - outputs[1]).abs().max()):.1e}")
    return max(errors)


def seconds_of(case: Case, module: ModuleType, calls: int) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    begin.record()
    for _ in range(calls):
        case.launch(module)
    end.record()
    end.synchronize()
    milliseconds: float = begin.elapsed_time(end)
    return milliseconds * 1e-3 / calls


def compare(case: Case, kernels: dict[str, ModuleType], rounds: int) -> tuple[dict[str, Spread], Spread]:
    """Returns the seconds of each compiler, and the ratio of ours to Triton's within a round."""
    calls = max(1, round(ROUND_SECONDS / seconds_of(case, kernels[TRITON], 3)))
    times: dict[str, list[float]] = {name: [] for name in kernels}
    for number in range(rounds + 2):
        order = list(kernels) if number % 2 == 0 else list(kernels)[::-1]
        for name in order:
            times[name].append(seconds_of(case, kernels[name], calls))
    times = {name: values[2:] for name, values in times.items()}
    ratio = Spread.of(
        [own_seconds / triton_seconds for own_seconds, triton_seconds in zip(times[OURS], times[TRITON], strict=True)]
    )
    return {name: Spread.of(values) for name, values in times.items()}, ratio


def rows(rounds: int) -> Iterator[dict[str, Any]]:
    kernels = {name: sources.load(name) for name in (OURS, TRITON)}
    for case in cases():
        error = check(case, kernels)
        spreads, ratio = compare(case, kernels, rounds)
        yield {
            "kernel": case.name,
            "size": case.size,
            "error": error,
            "seconds": spreads[OURS].median,
            "triton_seconds": spreads[TRITON].median,
            "ratio": [ratio.low, ratio.median, ratio.high],
            "bytes_per_second": case.bytes / spreads[OURS].median,
            "operations_per_second": case.operations / spreads[OURS].median,
            "held": HELD_TO[0] <= ratio.median <= HELD_TO[1],
        }
        torch.cuda.empty_cache()


def table(results: list[dict[str, Any]]) -> str:
    headings = ["kernel", "size", "largest error", "blockdsl", "Triton", "blockdsl / Triton (quartiles)", "rate"]
    return aligned(headings, [_cells(row) for row in results], {0, 1})


def _cells(row: dict[str, Any]) -> list[str]:
    low, median, high = row["ratio"]
    moved, operations = row["bytes_per_second"], row["operations_per_second"]
    rate = f"{moved / 1e12:.2f} TB/s" if moved else f"{operations / 1e12:.0f} TFLOP/s"
    return [
        str(row["kernel"]), str(row["size"]), f"{row['error']:.1e}", seconds(row["seconds"]),
        seconds(row["triton_seconds"]), f"{median:.3f} ({low:.3f} to {high:.3f})", rate,
    ]  # fmt: skip
