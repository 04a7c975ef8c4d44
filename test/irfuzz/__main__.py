"""``python -m irfuzz mutants``: what ends the process, or fails without a reason, is written to build/fuzz."""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from . import mutants
from .workers import Died, spread


def numbers(first: int, count: int, minutes: float) -> Iterator[int]:
    end = time.monotonic() + minutes * 60 if minutes else float("inf")
    some = itertools.islice(itertools.count(first), count or None)
    return itertools.takewhile(lambda _: time.monotonic() < end, some)


def run_mutants(options: argparse.Namespace) -> int:
    """Sends mutants through the parser and the pipelines; gives how many died."""
    ends: Counter[str] = Counter()
    for seed, end in spread(mutants.check, numbers(options.seed, options.count, options.minutes), options.jobs, 60):
        ends["died" if isinstance(end, Died) else end] += 1
        if isinstance(end, Died):
            path = options.out / f"mutant-{seed}.mlir"
            path.write_text(mutants.mutant(seed))
            print(f"{path}: {end}", flush=True)
    print(f"mutants {options.seed} to {options.seed + sum(ends.values()) - 1}: {dict(ends)}")
    return ends["died"]


def main() -> int:
    """Gives 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="irfuzz", description=__doc__)
    parser.add_argument("what", choices=("mutants",))
    parser.add_argument("--count", type=int, default=0, help="how many; without limit if neither this nor minutes")
    parser.add_argument("--seed", type=int, default=None, help="of the first; the others follow")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where findings are written")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    options.out.mkdir(parents=True, exist_ok=True)
    return 1 if run_mutants(options) else 0


if __name__ == "__main__":
    sys.exit(main())
