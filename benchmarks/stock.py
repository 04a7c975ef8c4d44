"""``python -m benchmarks.stock [DIRECTORY]``: kernels of stock ``@triton.jit`` on the CPU, against ``@blockdsl.jit``.

Both use the kernels of ``cuda/kernels.py``, and are launched alternately on the same tensors with bitwise equal
results. A launch with three tensors and an int is timed as a whole, and from the point where Triton calls blockdsl.
With a directory of ``.ttir`` files, such as Inductor's, each file is compiled, and the times are printed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

import blockdsl
from benchmarks import timing
from benchmarks.cuda.sources import TRITON, load
from benchmarks.report import aligned, seconds
from benchmarks.timing import OURS, Spread

RATIO = (0.97, 1.03)
"""The target range of a kernel's time through Triton over ours."""

HANDED_OVER, MEDIAN_COMPILED, LONGEST_COMPILED, ALL_COMPILED = 1.5e-6, 60e-3, 500e-3, 8.0
"""Target seconds: of blockdsl's part of a launch, and of compiling a generated kernel (median, each, all of
Inductor's)."""

ROWS, COLUMNS, SIDE = 4096, 1024, 512
Launch = Callable[[Any], object]


def cases() -> Iterator[tuple[str, torch.Tensor, Launch]]:
    """Yields a kernel's name and size, its output, and its launch from a module of kernels."""
    for elements in (1 << 20, 1 << 24):
        x, y, out = torch.randn(elements), torch.randn(elements), torch.empty(elements)
        yield f"add, {elements >> 20} Mi", out, launching("add", elements // 4096, x, y, out, elements, BLOCK=4096)
    rows, out = torch.randn(ROWS, COLUMNS), torch.empty(ROWS, COLUMNS)
    weight, bias, mean, rstd = (torch.randn(size) for size in (COLUMNS, COLUMNS, ROWS, ROWS))
    size = f"{ROWS} x {COLUMNS}"
    yield f"softmax, {size}", out, launching("softmax", ROWS, out, rows, *[COLUMNS] * 3, BLOCK=COLUMNS)
    more = (weight, bias, mean, rstd, COLUMNS, COLUMNS, 1e-5)
    yield f"layer norm, {size}", out, launching("layer_norm", ROWS, rows, out, *more, BLOCK=COLUMNS)
    a, b, c = (torch.randn(SIDE, SIDE) for _ in range(3))
    numbers, blocks = (*[SIDE] * 3, *[SIDE, 1] * 3), {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64, "GROUP_M": 8}
    yield f"matmul, {SIDE}", c, launching("matmul", (SIDE // 64) ** 2, a, b, c, *numbers, **blocks)


def launching(name: str, programs: int, *args: Any, **blocks: int) -> Launch:
    def launch(module: Any) -> object:
        return getattr(module, name)[(programs,)](*args, **blocks)

    return launch


def kernels(rounds: int) -> list[list[str]]:
    """Measures the kernels. Returns a row for each."""
    modules = {TRITON: load(TRITON), OURS: load(OURS)}
    lines = []
    for name, out, launch in cases():
        results = []
        for module in modules.values():
            out.zero_()
            launch(module)
            results.append(out.clone())
        assert torch.equal(*results), f"{name}: the results differ"
        timed = timing.compare({contender: partial(launch, of) for contender, of in modules.items()}, rounds)
        ratio = timed.ratios[TRITON]
        medians = [seconds(timed.seconds[contender].median) for contender in modules]
        held = "yes" if RATIO[0] <= ratio.median <= RATIO[1] else "NO"
        lines.append([name, *medians, f"{ratio.median:.3f} ({ratio.low:.3f} to {ratio.high:.3f})", held])
    return lines


def launches(rounds: int) -> str:
    """Measures a launch of 64 elements through Triton, of blockdsl's part of it, and of our own kernel."""
    x, y, out = torch.randn(64), torch.randn(64), torch.empty(64)
    stock, ours = load(TRITON).add, load(OURS).add
    kernel = stock[(1,)](x, y, out, 64, BLOCK=64)
    launch_arguments = (0, kernel.function, kernel.packed_metadata, None, None, None)
    timed = timing.compare(
        {
            TRITON: lambda: stock[(1,)](x, y, out, 64, BLOCK=64),
            "handed over": lambda: kernel.run(1, 1, 1, *launch_arguments, x, y, out, 64, 64),
            "as compiled": lambda: kernel[(1, 1, 1)](x, y, out, 64, 64),
            OURS: lambda: ours[(1,)](x, y, out, 64, BLOCK=64),
        },
        rounds,
    ).seconds
    held = "yes" if timed["handed over"].median <= HANDED_OVER else "NO"
    texts = (f"{contender} {seconds(spread.median)}" for contender, spread in timed.items())
    return f"a launch: {', '.join(texts)}; handed over held to {seconds(HANDED_OVER)}: {held}"


def compilations(directory: Path) -> str:
    """Measures our compile time of each module in a directory."""
    times = []
    os.environ["BLOCKDSL_CACHE"] = "0"
    start_cpu = time.process_time()
    for path in sorted(directory.rglob("*.ttir")):
        start = time.perf_counter()
        blockdsl.compile(path)
        times.append((time.perf_counter() - start, path.stem))
    if not times:
        raise SystemExit(f"{directory} holds no .ttir files")
    cpu = time.process_time() - start_cpu
    longest, slowest = max(times)
    total = sum(each for each, _ in times)
    spread = Spread.of([each for each, _ in times])
    median = spread.median
    held = "yes" if median <= MEDIAN_COMPILED and longest <= LONGEST_COMPILED and total <= ALL_COMPILED else "NO"
    limits = ", ".join(map(seconds, (MEDIAN_COMPILED, LONGEST_COMPILED, ALL_COMPILED)))
    return (
        f"{len(times)} modules compiled in {seconds(total)} ({seconds(cpu)} of a CPU): median {seconds(median)} "
        f"(quartiles {seconds(spread.low)} to {seconds(spread.high)}), longest {seconds(longest)} ({slowest}); median, "
        f"longest and sum held to {limits}: {held}"
    )


def main() -> None:
    torch.manual_seed(0)
    headings = ["kernel", "through the plugin", OURS, "plugin / blockdsl (quartiles)", "held"]
    print(aligned(headings, kernels(21), {0, 4}))
    print(launches(21))
    for directory in sys.argv[1:]:
        print(compilations(Path(directory)))


if __name__ == "__main__":
    main()
