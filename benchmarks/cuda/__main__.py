"""``python -m benchmarks.cuda``: kernels, launches and graphs on the machine's GPU, and the scaling of its CPU.

blockdsl and Triton must be installed. Prints Markdown, and writes it and JSON to ``--out``.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import triton

from benchmarks import record, scaling
from benchmarks.cuda import first_launch, graphs, kernel_time, launch_time
from benchmarks.report import aligned, cpu_name, seconds


def machine() -> str:
    gpu = torch.cuda.get_device_name()
    versions = f"torch {torch.__version__}, Triton {triton.__version__}, Python {platform.python_version()}"
    return f"{gpu}, {versions}; {torch.get_num_threads()} cores of {cpu_name()}"


def kernels(rounds: int) -> tuple[str, Any]:
    results = list(kernel_time.rows(rounds))
    return kernel_time.table(results), results


def launches(_rounds: int) -> tuple[str, Any]:
    rows = [{"kernel": "add", "kind": "compiled", **launch_time.measure()}, *first_launch.measure()]
    lines = [
        [
            str(row["kernel"]), str(row["kind"]), seconds(row["seconds"]), seconds(row["triton_seconds"]),
            "{1:.2f} ({0:.2f} to {2:.2f})".format(*row["ratio"]),
        ]
        for row in rows
    ]  # fmt: skip
    return aligned(["kernel", "launch", "blockdsl", "Triton", "blockdsl / Triton (quartiles)"], lines, {0, 1}), rows


def graph(_rounds: int) -> tuple[str, Any]:
    results = graphs.measure()
    lines = [[str(row[name]) for name in ("way", "launches", "host", "heap", "blocks", "device")] for row in results]
    titles = ["", "launches", "host memory grew, bytes", "malloc's", "Python's blocks", "device memory grew, bytes"]
    return aligned(titles, lines, {0, 1}), results


def cpu(_rounds: int) -> tuple[str, Any]:
    results = list(scaling.measure())
    return scaling.table(results), results


PARTS: dict[str, tuple[str, Callable[[int], tuple[str, Any]]]] = {
    "kernels": ("Kernel time", kernels),
    "launches": ("Launch time", launches),
    "graph": ("CUDA graphs", graph),
    "cpu": ("CPU cores", cpu),
}


def keep(name: str, data: dict[str, Any]) -> None:
    """Records the rows of kernels and launches."""
    sections = (("kernels", "gpu_kernels", "size"), ("launches", "gpu_launches", "kind"))
    for part, section, field in sections:
        rows = [
            {"triton": ".".join(triton.__version__.split(".")[:2]), "kernel": row["kernel"],
             {"kind": "launch"}.get(field, field): row[field], "seconds": row["seconds"],
             "triton_seconds": row["triton_seconds"], "ours_over_triton": row["ratio"][1]}
            for row in data.get(part, [])
        ]  # fmt: skip
        record.write(name, machine(), section, rows, torch.__version__.partition("+")[0])


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.cuda", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all if none is given")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--out", type=Path, help="a directory for performance.md and performance.json")
    parser.add_argument("--record", metavar="MACHINE", help="keep the rows in benchmarks/recorded.json under this name")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    torch.manual_seed(0)
    text, data = f"{machine()}\n", {"machine": machine()}
    print(text)
    for name in options.parts or PARTS:
        title, measure = PARTS[name]
        table, data[name] = measure(options.rounds)
        section = f"\n### {title}\n\n{table}\n"
        print(section, flush=True)
        text += section
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / "performance.md").write_text(text)
            (options.out / "performance.json").write_text(json.dumps(data, indent=1))
    if options.record:
        keep(options.record, data)


if __name__ == "__main__":
    main()
