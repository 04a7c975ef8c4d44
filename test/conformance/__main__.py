"""``python -m conformance DIRECTORY``: runs the suites over the directory, prints the table, and failures with reasons.

``--only NAME`` chooses cases by a part of their name; ``--verbose NAME`` runs one Inductor module in this process and
shows its arguments, its stages' sizes and the first difference.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from conformance import oracle
from conformance.suites import corpus, generated, inductor, libraries, operators, promotion, ttir
from conformance.verdict import Outcome, Verdict, listing, table

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBRARIES = {library.key: library for library in libraries.LIBRARIES}
SUITES = ("ttir", "inductor", "generated", "promotion", "corpus", "operators", *LIBRARIES)
ROOT = Path(__file__).resolve().parents[2]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path, help="the conformance inputs")
    parser.add_argument("--suite", choices=SUITES, action="append", help="run these only")
    parser.add_argument("--only", default="", metavar="NAME", help="cases whose name contains NAME")
    parser.add_argument("--verbose", metavar="NAME", help="one Inductor module, in this process")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--opt", type=Path, default=ROOT / "build" / "bin" / "blockdsl-opt")
    parser.add_argument("--triton", type=Path, action="append", default=[], help="a Python with a Triton to ask")
    options = parser.parse_args()
    if not options.directory.is_dir():
        parser.error(f"{options.directory} is not there: make conformance CONFORMANCE=DIR names the inputs")
    return options


def verdicts(options: argparse.Namespace) -> Iterator[Verdict]:
    chosen = options.suite or SUITES
    if "ttir" in chosen:
        tritons = [ttir.Triton(python) for python in options.triton]
        yield from ttir.run(options.directory, options.jobs, ttir.Tool(options.opt), tritons, options.only)
    if "inductor" in chosen:
        yield from inductor.run(options.directory, options.jobs, options.only)
    if "generated" in chosen:
        yield from generated.run(options.directory, options.jobs, options.only)
    if "promotion" in chosen and not options.only:
        yield from promotion.run(options.directory)
    if "corpus" in chosen:
        yield from corpus.run(options.directory, options.jobs, options.only)
    if "operators" in chosen:
        yield from operators.run(options.jobs, options.only)
    for key, library in LIBRARIES.items():
        if key in chosen:
            yield from libraries.run(library, options.jobs, lambda name: options.only in name)


def show(options: argparse.Namespace) -> int:
    """One module, step by step."""
    import blockdsl

    path = next(path for path in inductor.modules(options.directory) if options.verbose in path.stem)
    print(path.read_text())
    evaluator = oracle.load_evaluator(options.directory)
    start = time.perf_counter()
    kernel = blockdsl.compile(path)
    print(f"compiled in {1e3 * (time.perf_counter() - start):.0f} ms:", end=" ")
    print(", ".join(f"{stage} {len(text.splitlines())} lines" for stage, text in kernel.asm.items()))
    code = 0
    for flavour in ("small", "wide"):
        try:
            case = oracle.evaluate(evaluator, path.read_text(), flavour)
        except oracle.ImplausibleArguments as reason:
            print(f"{flavour}: {reason}")
            continue
        print(f"{flavour}: grid {case.grid}")
        for number, argument in enumerate(case.arguments):
            if isinstance(argument, oracle.Buffer):
                written = "written" if argument.written else "read"
                print(f"  {number}: {argument.element} x {argument.extent // argument.item_size}, {written}")
            else:
                print(f"  {number}: {argument}")
        difference = inductor.launch_and_compare(kernel, case, inductor.Tolerance.of(path))
        print(f"  {difference or 'equal'}")
        code |= bool(difference)
    return code


def main() -> int:
    options = parse_arguments()
    # Every module has to be compiled here, not read from the cache.
    os.environ.setdefault("BLOCKDSL_CACHE", "0")
    if options.verbose:
        return show(options)
    start = last_verdict = time.perf_counter()
    results = []
    took: dict[str, float] = defaultdict(float)
    ended = False
    try:
        for verdict in verdicts(options):
            results.append(verdict)
            now = time.perf_counter()
            took[verdict.suite] += now - last_verdict
            last_verdict = now
            print("." if verdict.outcome is Outcome.PASSED else verdict.outcome.value[0], end="", flush=True)
    except KeyboardInterrupt:
        ended = True
    print("\n")
    for outcome, title in ((Outcome.FAILED, "Failed"), (Outcome.SKIPPED, "Left out")):
        text = listing(results, outcome)
        if text:
            print(f"{title}\n{text}\n")
    print(table(results, took))
    modules = [verdict for verdict in results if verdict.suite == inductor.SUITE]
    compiled = sum(verdict.seconds for verdict in modules)
    processor = sum(float(str(verdict.details.get("cpu", 0))) for verdict in modules)
    print(
        f"\nInductor's modules compile in {compiled:.1f} s together ({processor:.1f} s of CPU); the run took", end=" "
    )
    print(f"{time.perf_counter() - start:.0f} s on {options.jobs} processes.")
    if ended:
        print("Ended early: what stands here is what was found until then.")
    return int(ended or any(verdict.outcome is Outcome.FAILED for verdict in results))


if __name__ == "__main__":
    sys.exit(main())
