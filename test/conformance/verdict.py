"""Result of a suite, and the table of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum


class Outcome(Enum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Verdict:
    """One case of one suite; ``cause`` is the reason of its failure, or of leaving it out."""

    suite: str
    case: str
    outcome: Outcome
    cause: str = ""
    seconds: float = 0.0
    details: dict[str, object] = field(default_factory=dict)


def passed(suite: str, case: str, seconds: float = 0.0, **details: object) -> Verdict:
    return Verdict(suite, case, Outcome.PASSED, "", seconds, details)


def failed(suite: str, case: str, cause: str, seconds: float = 0.0, **details: object) -> Verdict:
    return Verdict(suite, case, Outcome.FAILED, cause, seconds, details)


def skipped(suite: str, case: str, reason: str) -> Verdict:
    return Verdict(suite, case, Outcome.SKIPPED, reason)


def table(verdicts: Iterable[Verdict], took: Mapping[str, float]) -> str:
    """One row a suite, in the order of their first verdict: passed / (passed + failed), and the seconds it took."""
    rows: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        rows.setdefault(verdict.suite, []).append(verdict)
    lines = ["| suite | passed | of | skipped | share | took |", "|---|---:|---:|---:|---:|---:|"]
    for suite, row in rows.items():
        good = sum(verdict.outcome is Outcome.PASSED for verdict in row)
        bad = sum(verdict.outcome is Outcome.FAILED for verdict in row)
        share = f"{100 * good / (good + bad):.1f} %" if good + bad else "-"
        lines.append(f"| {suite} | {good} | {good + bad} | {len(row) - good - bad} | {share} | {took[suite]:.0f} s |")
    return "\n".join(lines)


def listing(verdicts: Sequence[Verdict], outcome: Outcome) -> str:
    """The cases of one outcome by name, grouped by their cause."""
    causes: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        if verdict.outcome is outcome:
            causes.setdefault((verdict.suite, verdict.cause), []).append(verdict.case)
    return "\n".join(f"{suite}: {cause}\n    " + "\n    ".join(cases) for (suite, cause), cases in causes.items())
