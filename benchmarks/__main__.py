"""``python -m benchmarks [NAME ...]``: times the kernels on one thread and on all, prints a table, can write JSON.

``--record MACHINE`` writes the rows to recorded.json, from which ``make docs`` generates figures and charts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

from benchmarks import between_ops, compile_curve, compile_time, gpu_blocks, libraries, limits, record, timing
from benchmarks.case import Case
from benchmarks.report import Row, cpu_name, markdown

TABLES = ("between_ops", "compile_curve", "libraries")
"""Each has a table of its own."""

KERNELS = (
    "vector_add", "softmax", "layer_norm", "matmul", "gpu_blocks", "attention",
    "sorting", "drawing", "bins", "along_rows", "small_floats", "launch",
)  # fmt: skip
NAMES = (*KERNELS, "compile_time", *TABLES)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all if none is given")
    parser.add_argument("--threads", default="", help="comma-separated counts; 1 and all if not given")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--peers", action="store_true", help="torch.compile and numba too, where they are installed")
    parser.add_argument("--record", metavar="MACHINE", help="keep the rows in recorded.json under this name")
    parser.add_argument("--note", default="", help="with --record: circumstances of the measurement")
    parser.add_argument("--json", type=Path, help="write the rows and the machine's limits here")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    return options


def thread_counts(option: str) -> list[int]:
    if option:
        return [int(count) for count in option.split(",")]
    return sorted({1, len(os.sched_getaffinity(0))})


def measure(case: Case, count: int, rounds: int) -> Row:
    """Measures one row. The results are checked before, and the limit is measured immediately after."""
    errors = case.check()
    timed = timing.compare(case.contenders, rounds)
    other_seconds = {name: spread for name, spread in timed.seconds.items() if name != timing.OURS}
    limit = min(case.limit(n) for n in {1, count}) if case.limit else None
    own_seconds, error = timed.seconds[timing.OURS], errors[timing.OURS]
    return Row(
        case.kernel,
        case.size,
        count,
        error,
        own_seconds,
        other_seconds,
        timed.ratios,
        limit,
        case.at_least,
        case.at_most,
    )


def rows(options: argparse.Namespace) -> Iterator[Row]:
    names = options.names or NAMES
    for name in names:
        if name in TABLES:
            continue
        if name == "compile_time":
            for first in compile_time.measure():
                yield Row(f"compile {first.kernel}", first.kind, 1, None, first.wall, at_most=first.at_most)
            continue
        for count in [1] if name == "launch" else thread_counts(options.threads):
            with timing.threads(count):
                for case in importlib.import_module(f"benchmarks.{name}").cases(options.peers):
                    yield measure(case, count, options.rounds)


def machine(counts: list[int]) -> dict[str, object]:
    elements = 32 << 20
    return {
        "cpu": cpu_name(),
        "torch": torch.__version__,
        "streaming_bytes_per_second": {n: 12 * elements / limits.streaming_seconds(elements, 2, n) for n in counts},
        "f32_operations_per_second": {n: limits.peak_flops(n) for n in counts},
    }


def recorded(row: Row) -> dict[str, object]:
    """Returns the row in the format of recorded.json."""
    torchs, ratio = row.theirs.get(timing.TORCH), row.ratios.get(timing.TORCH)
    return {
        "kernel": row.kernel,
        "size": row.size,
        "threads": row.threads,
        "seconds": row.ours.median,
        "torch_seconds": torchs.median if torchs else None,
        "torch_over_ours": ratio.median if ratio else None,
        "limit_share": row.limit / row.ours.median if row.limit else None,
    }


def keep(options: argparse.Namespace, results: list[Row], library_results: list[libraries.Row]) -> None:
    """Records the rows of kernels, of first launches, and of libraries."""
    timed = [recorded(row) for row in results if not row.kernel.startswith(("compile ", gpu_blocks.KERNEL))]
    in_blocks = [recorded(row) for row in results if row.kernel.startswith(gpu_blocks.KERNEL)]
    compiled = [
        {"kernel": row.kernel.removeprefix("compile "), "cache": row.size, "seconds": row.ours.median}
        for row in results
        if row.kernel.startswith("compile ")
    ]
    libraries_rows = [
        {"library": row.library, "kernel": row.kernel, "seconds": row.ours.median,
         "torch_seconds": row.theirs.median, "torch_over_ours": row.ratio.median}
        for row in library_results
    ]  # fmt: skip
    name = f"{len(os.sched_getaffinity(0))} cores of {cpu_name()}"
    sections = {"kernels": timed, "gpu_blocks": in_blocks, "compile": compiled, "libraries": libraries_rows}
    for section, rows in sections.items():
        record.write(options.record, name, section, rows, torch.__version__.partition("+")[0], options.note)


def main() -> int:
    options = parse_arguments()
    torch.manual_seed(0)
    results = []
    for row in rows(options):
        results.append(row)
        print(".", end="", flush=True, file=sys.stderr)
    print(file=sys.stderr)
    if results:
        print(markdown(results))
    curves = list(compile_curve.measure()) if "compile_curve" in (options.names or NAMES) else []
    if curves:
        print(compile_curve.table(curves))
    between_rows = between_ops.rows(options.rounds) if "between_ops" in (options.names or NAMES) else []
    if between_rows:
        print(between_ops.table(between_rows))
    library_results = libraries.rows(options.rounds) if "libraries" in (options.names or NAMES) else []
    if library_results:
        print(libraries.table(library_results))
    if options.record:
        keep(options, results, library_results)
    about = machine(thread_counts(options.threads))
    for name in ("streaming_bytes_per_second", "f32_operations_per_second"):
        values = about[name]
        assert isinstance(values, dict)
        print(f"{name.replace('_', ' ')}:", ", ".join(f"{v / 1e9:.1f} G on {n}" for n, v in values.items()))
    if options.json:
        document = {"machine": about, "rows": [row.json() for row in results], "curves": curves}
        document["between_ops"] = [row.json() for row in between_rows]
        document["libraries"] = [row.json() for row in library_results]
        options.json.write_text(json.dumps(document, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
