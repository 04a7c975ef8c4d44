"""Benchmarks of unmodified kernels of FlagGems and Liger against torch's eager ops on the same tensors.

The libraries' own wrappers are called, so both sides allocate their results. A library runs in its own process with the
Triton version that it requires; ``test/conformance`` starts it, and has the functions with torch's equivalents.
"""

from __future__ import annotations

import functools
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks import timing
from benchmarks.report import aligned, seconds
from benchmarks.timing import OURS, TORCH, Spread

TESTS = Path(__file__).resolve().parents[1] / "test"
GEOMETRIC_MEAN, EACH = 1.5, 0.8
"""The target ratio of torch's time to ours, for the mean and for each row."""

Draw = Callable[[], tuple[Any, ...]]


def matrix() -> torch.Tensor:
    return torch.randn(4096, 1024)


def logits() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(1024, 16384), torch.randint(0, 16384, (1024,))


def heads() -> tuple[torch.Tensor, ...]:
    angle = torch.rand(1, 512, 64).repeat(1, 1, 2)
    return torch.randn(2, 16, 512, 128), torch.randn(2, 4, 512, 128), angle.cos(), angle.sin()


CASES: dict[str, dict[str, Draw]] = {
    "flag_gems": {
        "add.Tensor": lambda: (matrix(), matrix()),
        "sigmoid": lambda: (matrix(),),
        "gelu": lambda: (matrix(),),
        "exp": lambda: (matrix(),),
        "pow.Tensor_Tensor": lambda: (torch.rand(4096, 1024) + 0.1, torch.rand(4096, 1024)),
        "clamp": lambda: (matrix(), -0.5, 0.7),
        "_softmax": lambda: (matrix(), 1, False),
        "sum.dim_IntList": lambda: (matrix(), [1]),
        "amax": lambda: (matrix(), [1]),
        "cumsum": lambda: (matrix(), 1),
        "silu_and_mul": lambda: (matrix(), matrix()),
        "_log_softmax": lambda: (matrix(), 1, False),
    },
    "liger": {
        "geglu": lambda: (matrix(), matrix()),
        "swiglu": lambda: (matrix(), matrix()),
        "relu_squared": lambda: (matrix(),),
        "rms_norm llama": lambda: (matrix(), torch.randn(1024)),
        "layer_norm": lambda: (matrix(), torch.randn(1024), torch.randn(1024)),
        "fused_add_rms_norm": lambda: (matrix(), matrix(), torch.randn(1024)),
        "softmax": lambda: (matrix(),),
        "rope": heads,
        "cross_entropy": logits,
        "tvd": lambda: (matrix().softmax(-1), matrix().softmax(-1)),
    },
}


@dataclass(frozen=True)
class Row:
    library: str
    kernel: str
    ours: Spread
    theirs: Spread
    ratio: Spread

    def json(self) -> dict[str, object]:
        return asdict(self)


def measure(key: str, rounds: int) -> None:
    """Prints a line of JSON for each kernel of a library. This process is set up for the library."""
    from conformance.libraries.rows import compare, flatten
    from conformance.suites import libraries

    library = next(library for library in libraries.LIBRARIES if library.key == key)
    table = libraries.table_of(library, libraries.Directories.of(library))
    for name, draw in CASES[key].items():
        torch.manual_seed(0)
        row, arguments = table[name], draw()
        call: dict[str, Callable[[], Any]] = {
            OURS: functools.partial(row.library, *arguments),
            TORCH: functools.partial(row.reference, *arguments),
        }
        difference = compare(flatten(call[OURS]()), flatten(call[TORCH]()), 2e-4, 1e-3)
        assert not difference, f"{library.name}, {name}: {difference}"
        times = timing.compare(call, rounds)
        print(
            json.dumps(
                [library.name, name, *map(asdict, (times.seconds[OURS], times.seconds[TORCH], times.ratios[TORCH]))]
            )
        )


def rows(rounds: int) -> list[Row]:
    results = []
    for key in CASES:
        path = os.pathsep.join([str(TESTS), str(TESTS.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "benchmarks.libraries", key, str(rounds)]
        completed = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": path}, check=True, stdout=subprocess.PIPE, text=True
        )
        for line in completed.stdout.splitlines():
            if line.startswith('["'):
                library, kernel, *spreads = json.loads(line)
                results.append(Row(library, kernel, *(Spread(**spread) for spread in spreads)))
    return results


def table(rows: list[Row]) -> str:
    headings = ["library", "kernel", "ours", "torch", "torch / ours (quartiles)", "held"]
    lines = [
        [row.library, row.kernel, seconds(row.ours.median), seconds(row.theirs.median),
         f"{row.ratio.median:.2f} x ({row.ratio.low:.2f} to {row.ratio.high:.2f})",
         "yes" if row.ratio.median >= EACH else "NO"]
        for row in rows
    ]  # fmt: skip
    mean = statistics.geometric_mean([row.ratio.median for row in rows])
    lines.append(["geometric mean", "", "", "", f"{mean:.2f} x", "yes" if mean >= GEOMETRIC_MEAN else "NO"])
    return aligned(headings, lines, {0, 1, 5})


if __name__ == "__main__":
    if len(sys.argv) > 2:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        print(table(rows(int(sys.argv[1]) if sys.argv[1:] else 31)))
