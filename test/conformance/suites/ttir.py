"""Triton's printed text through ``blockdsl-opt``: parses and verifies, round-trips, lowers, prints for its version.

Each file is ``NAME.ttir`` (after Triton's own passes) or ``NAME.raw.ttir`` (before). It is printed for every version of
Triton that is given.
"""

from __future__ import annotations

import functools
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.verdict import Verdict, failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PARSES, ROUND_TRIPS = "ttir: parses and verifies", "ttir: round-trips"
LOWERS, PRINTS = "ttir: lowers to LLVM", "ttir: Triton accepts our print"


@dataclass(frozen=True)
class Tool:
    """``blockdsl-opt`` at a path."""

    path: Path

    def run(self, *arguments: str, text: str | None = None) -> tuple[int, str, str]:
        try:
            completed = subprocess.run(
                [str(self.path), *arguments], input=text, capture_output=True, text=True, timeout=60, check=False
            )
        except subprocess.TimeoutExpired:
            return -1, "", "no result after 60 s"
        return completed.returncode, completed.stdout, completed.stderr


def reason_of(code: int, complaint: str) -> str:
    if code < 0:
        return f"ended by signal {-code}" if complaint != "no result after 60 s" else complaint
    lines = [line for line in complaint.splitlines() if "error:" in line]
    return lines[0].split("error:", 1)[1].strip()[:160] if lines else f"exit {code}"


def run(directory: Path, jobs: int, tool: Tool, tritons: Sequence[Triton], chosen: str = "") -> Iterator[Verdict]:
    versions = {triton.version: triton for triton in tritons}
    files = sorted((directory / "ttir").glob("*/*.ttir"))
    files += sorted((directory / "inductor" / "ttir").glob("*.ttir"))
    files = [path for path in files if chosen in path.name]
    with ThreadPoolExecutor(jobs) as threads:
        for verdicts in threads.map(lambda path: check(tool, versions, path), files):
            yield from verdicts


def check(tool: Tool, tritons: Mapping[str, Triton], path: Path) -> list[Verdict]:
    version = "3.9" if path.parent.name == "ttir" else path.parent.name
    name = f"{version}/{path.stem}"
    code, printed, complaint = tool.run(str(path))
    if code:
        return [failed(suite, name, reason_of(code, complaint)) for suite in (PARSES, ROUND_TRIPS, LOWERS)]
    verdicts = [passed(PARSES, name)]
    code, reprinted, complaint = tool.run("-", text=printed)
    if code:
        verdicts.append(failed(ROUND_TRIPS, name, reason_of(code, complaint)))
    elif printed != reprinted:
        verdicts.append(failed(ROUND_TRIPS, name, "prints another text the second time"))
    else:
        verdicts.append(passed(ROUND_TRIPS, name))
    verdicts.append(lower(tool, path, name))
    return verdicts + [print_for(tool, triton, path, name) for triton in tritons.values()]


LACKS = {
    "tt.make_tensor_ptr": ("3.8", "3.9"),
    "tt.atomic_load": ("3.6", "3.7", "3.8"),
    "tt.atomic_store": ("3.6", "3.7", "3.8"),
    "tt.atomic_poll": ("3.6", "3.7", "3.8"),
    "tt.approx_divf": ("3.6", "3.7", "3.8"),
}
"""Ops that some versions of Triton lack: a kernel with one is refused before these versions compile it."""


LEFT_OVER = r"^\s*(?:%[^=]*= )?\"?((?:tt|linalg|tensor|vector|memref|scf|arith|math|func)\.\w+)"
"""An op, not an attribute, of a dialect that should be gone."""


def lower(tool: Tool, path: Path, name: str) -> Verdict:
    code, lowered, complaint = tool.run("--blockdsl-cpu", str(path))
    illegal_ops = sorted(set(re.findall(LEFT_OVER, lowered, re.MULTILINE)))
    if code == 0 and not illegal_ops:
        return passed(LOWERS, name)
    complaint = complaint if code else f"error: leaves {', '.join(illegal_ops)}"
    return failed(LOWERS, name, reason_of(code, complaint))


def print_for(tool: Tool, triton: Triton, path: Path, name: str) -> Verdict:
    name, text = f"{name} for {triton.version}", path.read_text()
    lacking = [op for op, versions in LACKS.items() if op in text and triton.version in versions]
    if lacking:
        return skipped(PRINTS, name, f"Triton {triton.version} has no {lacking[0]}")
    code, printed, complaint = tool.run(f"--tt-version={triton.version}", str(path))
    if code:
        return failed(PRINTS, name, reason_of(code, complaint))
    refusal = triton.refusal(printed)
    return failed(PRINTS, name, refusal) if refusal else passed(PRINTS, name)


@dataclass(frozen=True)
class Triton:
    """An installed Triton, by its interpreter; it parses in a subprocess, because a bad module may crash it."""

    python: Path

    SCRIPT = Path(__file__).parent.parent / "triton_accepts.py"

    @functools.cached_property
    def version(self) -> str:
        code = "import triton; print('.'.join(triton.__version__.split('.')[:2]))"
        completed = subprocess.run([str(self.python), "-c", code], capture_output=True, text=True, check=True)
        return completed.stdout.strip()

    def refusal(self, text: str) -> str:
        """Returns the reason why it does not accept a module, or nothing."""
        completed = subprocess.run(
            [str(self.python), str(self.SCRIPT)], input=text, capture_output=True, text=True, timeout=120, check=False
        )
        return reason_of(completed.returncode, completed.stderr) if completed.returncode else ""
