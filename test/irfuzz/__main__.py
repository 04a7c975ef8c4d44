"""``python -m irfuzz mutants`` and ``python -m irfuzz modules``: findings are written to build/fuzz.

A mutant that ends the process, or fails without a message, is written unchanged. A module that computes wrong values,
or does not compile, is shrunk first; the file contains its arguments.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from workers import Died, run_all, run_alone

from . import judge, mutants
from .draw import drawn
from .module import Module, text_of
from .shrink import shrunk


def numbers(first: int, count: int, minutes: float) -> Iterator[int]:
    end = time.monotonic() + minutes * 60 if minutes else float("inf")
    seeds = itertools.islice(itertools.count(first), count or None)
    return itertools.takewhile(lambda _: time.monotonic() < end, seeds)


def run_mutants(options: argparse.Namespace) -> int:
    """Runs mutants through the parser and the pipelines; returns how many crashed."""
    ends: Counter[str] = Counter()
    for seed, end in run_all(mutants.check, numbers(options.seed, options.count, options.minutes), options.jobs, 60):
        ends["died" if isinstance(end, Died) else end] += 1
        if isinstance(end, Died):
            path = options.out / f"mutant-{seed}.mlir"
            path.write_text(mutants.mutant(seed))
            print(f"{path}: {end}", flush=True)
    print(f"mutants {options.seed} to {options.seed + sum(ends.values()) - 1}: {dict(ends)}")
    return ends["died"]


def failure_of(module: Module) -> Died | None:
    """Judges a module in a process of its own."""
    end = run_alone(judge.recheck, module, 60)
    return end if isinstance(end, Died) else None


def run_modules(options: argparse.Namespace) -> int:
    """Judges random modules; returns how many failed."""
    count = failed = 0
    for seed, end in run_all(judge.check, numbers(options.seed, options.count, options.minutes), options.jobs, 60):
        count += 1
        if not isinstance(end, Died):
            continue
        failed += 1
        small = drawn(seed)
        if options.shrink:
            small = shrunk(small, lambda module: getattr(failure_of(module), "reason", None))
        path = options.out / f"module-{seed}.mlir"
        path.write_text(file_text(seed, small, failure_of(small) or end))
        print(f"{path}: {end}", flush=True)
    print(f"modules {options.seed} to {options.seed + count - 1}: {failed} of {count} differ")
    return failed


def file_text(seed: int, module: Module, end: Died) -> str:
    """Returns the module's text, with its arguments in front."""
    lines = [f"module {seed} of test/irfuzz, made small: {end}", f"{module.programs} programs, without fp fusion"]
    lines += [f"{argument.name}: {argument.data.tolist()}" for argument in module.buffers]
    lines += [f"{argument.name}: {argument.of} from element {argument.offset} on" for argument in module.aliases]
    lines += [f"{argument.name}: {argument.value}" for argument in module.numbers]
    return "".join(f"// {line}\n" for text in lines for line in text.splitlines()) + text_of(module)


def main() -> int:
    """Returns 1 if anything was found."""
    os.environ.setdefault("BLOCKDSL_CACHE", "0")
    parser = argparse.ArgumentParser(prog="irfuzz", description=__doc__)
    parser.add_argument("what", choices=("mutants", "modules"))
    parser.add_argument("--count", type=int, default=0, help="how many; without limit if neither this nor minutes")
    parser.add_argument("--seed", type=int, default=None, help="of the first; the others follow")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false", help="write what differs as it is")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where findings are written")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    options.out.mkdir(parents=True, exist_ok=True)
    return 1 if {"mutants": run_mutants, "modules": run_modules}[options.what](options) else 0


if __name__ == "__main__":
    sys.exit(main())
