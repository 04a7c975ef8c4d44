"""``python -m fuzz``: random programs, compiled and interpreted, until one differs or the time is up."""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers import Died, run_all, run_alone

from . import cuda, draw, judge, report, shrink
from .judge import Difference, Verdict
from .program import Program


@dataclass
class Search:
    """The options of a search. Processes are forked after it is made."""

    device: str
    without: frozenset[str]
    timeout: float

    def program(self, seed: int) -> Program:
        return draw.drawn(seed, device=self.device, without=self.without)

    def check(self, seed: int, phase: Any) -> Verdict:
        """The task of a process: a seed."""
        phase("draw")
        return self.recheck(self.program(seed), phase)

    def recheck(self, program: Program, phase: Any) -> Verdict:
        """The task of a process that shrinks: a program."""
        return cuda.run(program, phase) if self.device == "cuda" else judge.judge(program, phase)

    def fails(self, program: Program) -> Difference | None:
        difference = verdict_of(run_alone(self.recheck, program, self.timeout)).difference
        return None if difference is None or difference.kind == "error" else difference

    def written(self, seed: int, difference: Difference, directory: Path, *, small: bool) -> Path:
        """Writes the file of a failing program, shrunk."""
        program = self.program(seed)
        if small and difference.kind != "error":
            program, difference = shrink.shrunk(program, difference, self.fails)
        expected = None
        if difference.kind != "error":
            with contextlib.suppress(Exception):
                expected = judge.meaning(program)
        return report.write(directory, program, difference, expected)


def verdict_of(outcome: Verdict | Died) -> Verdict:
    """Returns the verdict on a program, or on one that ended its process."""
    if isinstance(outcome, Verdict):
        return outcome
    return Verdict(Difference(outcome.kind, outcome.trace or str(outcome)))


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=0, help="how many; without limit if neither this nor minutes")
    parser.add_argument("--seed", type=int, help="of the first program; the others follow")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long, before what is found is made small")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--without", default="", help="kinds of statements not to draw, with commas between")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one program")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where failing programs are written")
    parser.add_argument("--keep-going", action="store_true", help="go on after the first difference")
    parser.add_argument("--no-shrink", action="store_true", help="write failing programs as they are")
    options = parser.parse_args(arguments)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    return options


def seeds(options: argparse.Namespace, end: float) -> Iterator[int]:
    at = options.seed
    while time.monotonic() < end and not (options.programs and at - options.seed >= options.programs):
        yield at
        at += 1


def main(arguments: list[str] | None = None) -> int:
    os.environ.setdefault("BLOCKDSL_CACHE", "0")
    options = options_of(arguments)
    excluded = frozenset(filter(None, options.without.split(",")))
    unsupported = cuda.UNSUPPORTED if options.device == "cuda" else frozenset()
    search = Search(options.device, excluded | unsupported, options.timeout)
    draw.load()
    start = reported = time.monotonic()
    # Starting Python took part of the time as well, and the last programs have to finish.
    end = start + options.minutes * 60 - 3 if options.minutes else float("inf")
    counts: Counter[str] = Counter()
    lanes = [0, 0, 0]
    failed: list[tuple[int, Difference]] = []
    print(f"seed {options.seed}, {options.jobs} processes, {options.device}", flush=True)
    for seed, result in run_all(search.check, seeds(options, end), options.jobs, options.timeout):
        outcome = verdict_of(result)
        counts["programs"] += 1
        lanes = [a + b for a, b in zip(lanes, outcome.lanes, strict=True)]
        if outcome.ambiguous:
            counts["ambiguous"] += 1
            counts[f"  {outcome.ambiguous[:90]}"] += 1
        if outcome.difference is not None:
            counts[outcome.difference.kind] += 1
            failed.append((seed, outcome.difference))
            print(f"  program {seed}: {outcome.difference.kind}: {outcome.difference.text.strip()[-400:]}", flush=True)
            if not options.keep_going:
                break
        if time.monotonic() - reported > 10:
            reported = time.monotonic()
            rate = counts["programs"] / (reported - start)
            print(f"{counts['programs']} programs, {rate:.1f} a second, {len(failed)} differences", flush=True)
    seconds = time.monotonic() - start
    print(f"{counts['programs']} programs from seed {options.seed} in {seconds:.0f} s, "
          f"{counts['programs'] / seconds:.1f} a second: {len(failed)} differences")  # fmt: skip
    print(f"elements: {lanes[0]} exact, {lanes[1]} within bounds, {lanes[2]} unknown; {counts['ambiguous']} ambiguous")
    for name in sorted(counts.keys() - {"programs", "ambiguous"}):
        print(f"{name}: {counts[name]}")
    for seed, difference in failed:
        path = search.written(seed, difference, options.out, small=not options.no_shrink)
        print(f"{difference.kind}: {path}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
