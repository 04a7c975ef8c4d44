"""Figures and charts of README.md and docs/, from benchmarks/recorded.json.

A page has its measured figures between two comments, and ``python -m pages`` writes the text between them:

    <!-- figures: torch_compile -->
    ...
    <!-- end of figures -->

So two pages cannot contain different figures of one measurement. ``make bench`` writes the record.
"""

from __future__ import annotations

import math
import re
import statistics
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks import record
from benchmarks.report import seconds
from pages.charts import Chart

BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)

MACHINES = record.load()
Row = dict[str, Any]


def fill(text: str) -> str:
    """Returns a page with the text of each of its blocks."""
    return BLOCK.sub(lambda found: f"{found[1]}{BLOCKS[found[2]]()}\n{found[3]}", text)


def rows(machine: str, section: str, **wanted: object) -> list[Row]:
    """Returns the recorded rows that have the wanted values."""
    found: list[Row] = MACHINES[machine][section]["rows"]
    return [row for row in found if all(row[field] == value for field, value in wanted.items())]


def name(machine: str) -> str:
    """Returns the name of a machine in text."""
    text: str = MACHINES[machine]["name"]
    return text


def mean(values: Iterable[float]) -> float:
    """Returns the geometric mean, for ratios: the mean of twice and half as fast is 1."""
    return math.exp(statistics.fmean(math.log(value) for value in values))


def span(values: Iterable[float], digits: str = ".2f") -> str:
    """Returns the range of the values, or the value if all are equal."""
    lowest, highest = min(values := list(values)), max(values)
    return format(lowest, digits) if lowest == highest else f"{lowest:{digits}} to {highest:{digits}}"


def prose(text: str) -> str:
    """Returns a paragraph wrapped to lines."""
    return textwrap.fill(" ".join(text.split()), 118, break_on_hyphens=False, break_long_words=False)


def table(headings: list[str], lines: Iterable[list[str]], left: int = 1) -> str:
    """Returns a table whose first columns are text."""
    rule = ["---"] * left + ["---:"] * (len(headings) - left)
    # A number and its unit are not separated on narrow screens.
    lines = [line[:left] + [cell.replace(" ", "\N{NO-BREAK SPACE}") for cell in line[left:]] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in [headings, rule, *lines])


# Kernels of ours beside torch's operators.

SHOWN = {"vector add", "softmax", "layer norm", "matmul"}


def kernel_rows(machine: str, threads: int) -> list[Row]:
    """Returns the rows of the kernels that README.md shows."""
    return [row for row in rows(machine, "kernels", threads=threads) if row["kernel"] in SHOWN]


def ratios(machine: str, threads: int, *kernels: str) -> list[float]:
    """Returns torch's time over ours for all of these kernels, or some."""
    return [r["torch_over_ours"] for r in kernel_rows(machine, threads) if not kernels or r["kernel"] in kernels]


def kernels_chart() -> Chart:
    """The kernels of the demo beside torch's operators, on all cores of two machines."""
    zen, xeon = kernel_rows("zen4", 2), kernel_rows("emerald-rapids", 16)
    same = [(row["kernel"], row["size"]) for row in zen]
    assert same == [(row["kernel"], row["size"]) for row in xeon], "the record lacks a kernel on one of the machines"
    return Chart(
        "Our kernels beside torch's operators, f32",
        ["Time of torch's operator over the time of our kernel: 2 x means that ours", "takes half as long."],
        "torch",
        ["2 cores of an AMD Zen 4", "16 cores of an Intel Emerald Rapids Xeon"],
        [(f"{kernel} {size}", [zen_row["torch_over_ours"], xeon_row["torch_over_ours"]])
         for (kernel, size), zen_row, xeon_row in zip(same, zen, xeon, strict=True)],
    )  # fmt: skip


def kernels() -> str:
    """The range of that chart, and where torch is faster."""
    one = ratios("emerald-rapids", 1, "matmul")
    return prose(f"""
        On {name("zen4")} torch's operators take {span(ratios("zen4", 2))} times as long as our kernels, on
        {name("emerald-rapids")} {span(ratios("emerald-rapids", 16))} times. On one thread of that Xeon torch's matmul
        is the faster one: ours takes {span(1 / value for value in one)} times as long.""")


def kernels_table() -> str:
    """Times, and shares of the machine's limit."""
    lines = []
    for machine, threads in (("zen4", (1, 2)), ("emerald-rapids", (1, 16))):
        for row in kernel_rows(machine, threads[0]):
            matching = rows(machine, "kernels", kernel=row["kernel"], size=row["size"])
            cells = [
                f"{row['kernel']} {row['size']}",
                name(machine).partition(" of an ")[2].removeprefix("Intel ").removesuffix(" Xeon"),
            ]
            for each in matching:
                cells += [seconds(each["seconds"]), f"{100 * each['limit_share']:.0f} %"]
            lines.append(cells)
    headings = ["kernel", "machine", "one thread", "of the limit", "all threads", "of the limit"]
    return table(headings, lines, left=2)


def gpu_blocks() -> str:
    """Matmuls in the blocks that are written for GPUs: a table of types and threads."""
    each_size = dict.fromkeys(row["size"].partition(" (blocks ") for row in rows("emerald-rapids", "gpu_blocks"))
    sizes = ", ".join(dict.fromkeys(size for size, _, _ in each_size))
    blocks = ", ".join(dict.fromkeys(block.rstrip(")") for _, _, block in each_size))
    about = prose(f"""On {name("emerald-rapids")} with AMX, in blocks of {blocks}, for rows, columns and depths of
        {sizes} (bytes: the first three):""")
    lines = []
    for kernel in dict.fromkeys(row["kernel"] for row in rows("emerald-rapids", "gpu_blocks")):
        for threads in (1, 16):
            found = rows("emerald-rapids", "gpu_blocks", kernel=kernel, threads=threads)
            each = [row["torch_over_ours"] for row in found]
            ahead = sum(value >= 1 for value in each)
            kind = kernel.rpartition(" ")[2]
            lines.append([kind, str(threads), f"{mean(each):.2f}", span(each), f"{ahead} of {len(each)}"])
    return f"{about}\n\n" + table(["type", "threads", "geometric mean", "from, to", "faster than torch"], lines)


def launches() -> str:
    """Small launches on CPUs and on a GPU."""
    (graphics,) = rows("h200", "gpu_launches", triton="3.9", launch="compiled")
    small = {m: rows(m, "kernels", kernel="vector add", size="16 Ki", threads=1)[0] for m in ("zen4", "emerald-rapids")}
    times = " and ".join(
        f"{seconds(row['seconds'])} on a core of {name(m).partition(' of ')[2]}" for m, row in small.items()
    )
    return prose(f"""
        Adding two vectors of 16,384 elements takes {times}, launch included; torch's addition takes
        {span(row["torch_over_ours"] for row in small.values())} times as long. On an H200 the host needs
        {seconds(graphics["seconds"])} for a launch with three tensors and an int, and Triton 3.9
        {seconds(graphics["triton_seconds"])}.""")


# Kernels whose addresses come from data, scans, random numbers and 8-bit floats.


def irregular_chart() -> Chart:
    """Kernels whose addresses come from data, beside torch's operators."""
    return Chart(
        "Sorting, atomics, scans, random numbers, 8-bit floats",
        [
            "Time of torch's operator over the time of our kernel, on one thread",
            "of an AMD Zen 5, while others used the machine.",
        ],
        "torch",
        ["one thread"],
        [(f"{row['kernel'].replace('product', 'matmul')} {row['size'].replace(' x 512 x 512', '')}",
          [row["torch_over_ours"]])
         for row in rows("zen5", "kernels")],
        log=True,
    )  # fmt: skip


def irregular() -> str:
    """The rows of that chart that are slower."""
    found = rows("zen5", "kernels")
    slower = [row for row in found if row["torch_over_ours"] < 1]
    return prose(f"""
        Of {len(found)} rows {len(found) - len(slower)} are faster than torch. The other {len(slower)} are atomic
        additions to many different addresses, which take {span((1 / row["torch_over_ours"] for row in slower), ".1f")}
        times as long as torch's `index_add_`.""")


# Inductor's Triton code through us, beside its C++.

COMPILED = ("zen4", "xeon")


def function_label(function: str) -> str:
    """Returns a label that fits beside the bars."""
    if "forward" not in function:
        return function
    model, _, rest = function.partition(", ")
    return f"{model.split(' ')[0]}, {'forward and backward' if 'backward' in rest else 'forward'}"


def compile_chart() -> Chart:
    """Functions and models through torch.compile, beside Inductor's C++."""
    first, second = (rows(machine, "torch_compile") for machine in COMPILED)
    assert [row["function"] for row in first] == [row["function"] for row in second]
    return Chart(
        'torch.compile(backend="blockdsl") beside Inductor\'s C++',
        ["Time of Inductor's C++ over the time of its Triton code through us."],
        "C++",
        ["2 cores of an AMD Zen 4", "2 cores of an Intel Xeon with AMX"],
        [(function_label(row["function"]), [row["cpp_over_ours"], other["cpp_over_ours"]])
         for row, other in zip(first, second, strict=True)],
        log=True,
    )  # fmt: skip


def torch_compile() -> str:
    """The means of that chart."""
    found = {machine: rows(machine, "torch_compile") for machine in COMPILED}
    means = {machine: mean(row["cpp_over_ours"] for row in timed) for machine, timed in found.items()}
    ordered = sorted(found["zen4"], key=lambda row: float(row["cpp_over_ours"]))
    least, most = ((row["function"].split(",")[0], row["cpp_over_ours"]) for row in (ordered[0], ordered[-1]))
    model = {row["function"].split(",")[0]: row["cpp_over_ours"] for row in ordered}
    return prose(f"""
        On {name("zen4")} Inductor's own C++ takes {means["zen4"]:.2f} times as long as its Triton code through us, in
        the geometric mean of {len(ordered)} functions and models: from {least[1]:.2f} times for `{least[0]}` to
        {most[1]:.2f} times for {most[0]}, {model["ResNet-50"]:.2f} times for ResNet-50, {model["BERT-base"]:.2f} times
        for BERT-base. On {name("xeon")} the mean is {means["xeon"]:.2f} times.""")


# Libraries of kernels through stock Triton.


def libraries_chart() -> Chart:
    """Libraries' kernels through stock Triton, beside torch's operators."""
    return Chart(
        "Kernels of FlagGems and Liger beside torch's operators",
        [
            "Time of torch's operator over the time of the library's, wrappers and all,",
            "through stock Triton on 2 cores of an Intel Xeon with AMX.",
        ],
        "torch",
        ["two threads"],
        [(f"{row['library'].split(' ')[0]} {row['kernel']}", [row["torch_over_ours"]])
         for row in rows("xeon", "libraries")],
        log=True,
    )  # fmt: skip


def libraries() -> str:
    """The mean of that chart, and the slower rows."""
    found = rows("xeon", "libraries")
    slower = [row for row in found if row["torch_over_ours"] < 1]
    return prose(f"""
        torch's operators take {mean(row["torch_over_ours"] for row in found):.2f} times as long as these
        {len(found)} kernels, in the geometric mean. {len(slower)} of FlagGems' are slower than torch
        ({", ".join(f"`{row['kernel']}`" for row in slower)}), the slowest by a factor of
        {max(1 / row["torch_over_ours"] for row in slower):.2f}.""")


# On a GPU, beside Triton.


def gpu_chart() -> Chart:
    """Kernels and launches on a GPU, beside Triton."""

    def ratio(row: Row) -> float:
        return float(row["triton_seconds"] / row["seconds"])

    names = {"compiled": "launch", "cold": "first launch", "disk cache": "first, from the disk"}
    lines = []
    for section, label in (("gpu_kernels", lambda row: row["kernel"]),
                           ("gpu_launches", lambda row: f"{row['kernel']}: {names[row['launch']]}")):  # fmt: skip
        old, new = (rows("h200", section, triton=version) for version in ("3.6", "3.9"))
        lines += [(label(row), [ratio(row), ratio(other)]) for row, other in zip(old, new, strict=True)]
    return Chart(
        "On an NVIDIA H200 beside Triton",
        ["Time of Triton over ours. Kernels are compiled by Triton on both sides;", "launches are our own."],
        "Triton",
        ["Triton 3.6", "Triton 3.9"],
        lines,
        log=True,
    )


def gpu() -> str:
    """The ranges of that chart."""
    kernels = [row["ours_over_triton"] for row in rows("h200", "gpu_kernels")]
    launch = rows("h200", "gpu_launches", launch="compiled")
    cold = [row["ours_over_triton"] for row in rows("h200", "gpu_launches", launch="cold")]
    disk = rows("h200", "gpu_launches", launch="disk cache")
    return prose(f"""
        On an H200 five kernels take {100 * min(kernels):.1f} to {100 * max(kernels):.1f} % of Triton's time, with
        Triton 3.6 and 3.9. The host needs {micro(row["seconds"] for row in launch)} µs for a launch, and Triton
        {micro(row["triton_seconds"] for row in launch)} µs. The first launch of a kernel takes
        {100 * min(cold):.0f} to {100 * max(cold):.0f} % of Triton's time; from the disk cache it takes
        {1e3 * min(r["seconds"] for r in disk):.1f} to {1e3 * max(r["seconds"] for r in disk):.1f} ms, and
        Triton's {1e3 * min(r["triton_seconds"] for r in disk):.0f} to
        {1e3 * max(r["triton_seconds"] for r in disk):.0f} ms.""")


def micro(values: Iterable[float]) -> str:
    """Returns the range of seconds, in microseconds."""
    return span((1e6 * value for value in values), ".1f")


def sources() -> str:
    """The table of machines, with dates and versions."""
    titles = {
        "kernels": "`make bench`", "gpu_blocks": "`python -m benchmarks gpu_blocks`",
        "compile": "`make bench`", "libraries": "`python -m benchmarks libraries`",
        "torch_compile": "`python -m benchmarks.torch_compile`", "gpu_kernels": "`python -m benchmarks.cuda`",
        "gpu_launches": "`python -m benchmarks.cuda`",
    }  # fmt: skip
    lines = []
    for machine in MACHINES.values():
        for section, about in machine.items():
            if section != "name":
                lines.append([titles[section], machine["name"], about["date"], about["torch"], about["note"]])
    return table(["measured by", "machine", "date", "torch", "circumstances"], lines, left=5)


BLOCKS: dict[str, Callable[[], str]] = {
    each.__name__: each
    for each in (kernels, kernels_table, gpu_blocks, launches, irregular, torch_compile, libraries, gpu, sources)
}
CHARTS: dict[str, Callable[[], Chart]] = {
    "kernels": kernels_chart, "irregular": irregular_chart, "torch_compile": compile_chart,
    "libraries": libraries_chart, "gpu": gpu_chart,
}  # fmt: skip
