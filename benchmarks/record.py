"""The recorded measurements, recorded.json: source of every figure and chart in README.md and docs/.

``make bench BENCH="--record MACHINE"`` and ``python -m benchmarks.torch_compile --record MACHINE`` (or ``libraries``,
or ``cuda``) put their rows there under the name of a machine. Rows of other kernels, sizes and machines stay. ``make
docs`` then writes charts and figures anew.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "recorded.json"

KEYS = {
    "kernels": ("kernel", "size", "threads"),
    "gpu_blocks": ("kernel", "size", "threads"),
    "compile": ("kernel", "cache"),
    "libraries": ("library", "kernel"),
    "torch_compile": ("function",),
    "gpu_kernels": ("triton", "kernel", "size"),
    "gpu_launches": ("triton", "kernel", "launch"),
}
"""The sections, and the fields that identify their rows."""

Row = Mapping[str, Any]
Machines = dict[str, dict[str, Any]]


def load(path: Path = PATH) -> Machines:
    """Returns for each machine its name and its sections: date, version of torch, note and rows."""
    machines: Machines = json.loads(path.read_text(encoding="utf-8"))
    return machines


def text(machines: Machines) -> str:
    """Returns JSON with a line for each row, so that a new measurement is a readable change."""
    parts = []
    for key, machine in machines.items():
        lines = [f'  "name": {json.dumps(machine["name"])}']
        for section, about in machine.items():
            if section == "name":
                continue
            head = [f'"{field}": {json.dumps(value)}' for field, value in about.items() if field != "rows"]
            rows = ",\n".join(f"    {json.dumps(row)}" for row in about["rows"])
            lines.append(f'  "{section}": {{\n   {", ".join(head)}, "rows": [\n{rows}\n  ]}}')
        parts.append(f'"{key}": {{\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def rounded(row: Row) -> dict[str, Any]:
    """Returns the row with four digits of each measurement, and without those that are missing."""
    fields = {field: float(f"{value:.4g}") if isinstance(value, float) else value for field, value in row.items()}
    return {field: value for field, value in fields.items() if value is not None}


def merged(section: str, recorded: Iterable[Row], rows: Iterable[Row]) -> list[Row]:
    """Returns all rows, where new rows replace old ones of the same kernel."""
    by_key = {tuple(row[field] for field in KEYS[section]): row for row in (*recorded, *map(rounded, rows))}
    return list(by_key.values())


def write(
    machine: str, name: str, section: str, rows: Sequence[Row], torch: str, note: str = "", path: Path = PATH
) -> None:
    """Records the rows of one section with today's date; `name` describes a new machine."""
    if not rows:
        return
    machines = load(path) if path.exists() else {}
    entry = machines.setdefault(machine, {"name": name})
    previous = entry.get(section, {"rows": []})["rows"]
    date = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    entry[section] = {"date": date, "torch": torch, "note": note or "one run", "rows": merged(section, previous, rows)}
    path.write_text(text(machines), encoding="utf-8")
