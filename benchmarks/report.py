"""Rows of the benchmark table, as Markdown and as JSON."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.timing import Spread


@dataclass(frozen=True)
class Row:
    """One kernel at one size on a number of threads; ``ratios`` are the peers' times over ours."""

    kernel: str
    size: str
    threads: int
    error: float | None
    ours: Spread
    theirs: dict[str, Spread] = field(default_factory=dict)
    ratios: dict[str, Spread] = field(default_factory=dict)
    limit: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def held(self) -> bool | None:
        """Whether the target is reached, or None without a target."""
        if self.at_most is not None:
            return self.ours.median <= self.at_most
        if self.at_least is not None:
            return self.ratios["torch"].median >= self.at_least
        return None

    def json(self) -> dict[str, object]:
        return asdict(self) | {"held": self.held}


def seconds(value: float) -> str:
    """Formats seconds with three digits and a unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def figure(row: Row) -> str:
    if row.at_most is not None:
        return f"at most {seconds(row.at_most)}"
    return f"at least {row.at_least:g} x" if row.at_least is not None else ""


def peers(row: Row) -> str:
    return ", ".join(f"{name} {row.ratios[name].median:.2f} x" for name in row.ratios if name != "torch")


def cells(row: Row) -> list[str]:
    torch, ratio = row.theirs.get("torch"), row.ratios.get("torch")
    return [
        row.kernel,
        row.size,
        str(row.threads),
        "" if row.error is None else f"{row.error:.1e}",
        seconds(row.ours.median),
        seconds(torch.median) if torch else "",
        f"{ratio.median:.2f} x ({ratio.low:.2f} to {ratio.high:.2f})" if ratio else "",
        f"{100 * row.limit / row.ours.median:.0f} %" if row.limit else "",
        figure(row),
        {True: "yes", False: "NO", None: ""}[row.held],
        peers(row),
    ]


HEADINGS = ["kernel", "size", "threads", "error", "ours", "torch", "torch / ours (quartiles)", "of limit", "held to"]
HEADINGS += ["held", "others / ours"]
TEXT_COLUMNS = {0, 1, 8, 9, 10}


def markdown(rows: list[Row]) -> str:
    """Returns a Markdown table that is aligned in a terminal."""
    return aligned(HEADINGS, [cells(row) for row in rows], TEXT_COLUMNS)


def aligned(headings: list[str], lines: list[list[str]], text_columns: set[int]) -> str:
    columns = [n for n in range(len(headings)) if any(line[n] for line in lines)]
    widths = {n: max(len(headings[n]), *(len(line[n]) for line in lines)) for n in columns}

    def write(line: list[str]) -> str:
        parts = [line[n].ljust(widths[n]) if n in text_columns else line[n].rjust(widths[n]) for n in columns]
        return f"| {' | '.join(parts)} |"

    rule = [f"{'-' * (widths[n] - 1)}{'-' if n in text_columns else ':'}" for n in columns]
    return "\n".join([write(headings), f"| {' | '.join(rule)} |", *map(write, lines)])


def cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
