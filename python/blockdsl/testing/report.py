"""Benchmarks over a range of sizes, as a table, a CSV file and a plot: ``@perf_report``."""

from __future__ import annotations

import html
import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Benchmark:
    """The definition of a benchmark: one plot with a line for each provider.

    Attributes:
        x_names: Parameters of the function that take the sizes.
        x_vals: The sizes: a number for all of these parameters, or a tuple with one for each.
        line_arg: The parameter that selects a line.
        line_vals: Its values.
        line_names: The labels of the lines.
        plot_name: The title, and the name of the files.
        args: Values of the other parameters.
        xlabel: Label of the horizontal axis; the first of ``x_names`` if empty.
        ylabel: Label of the vertical axis.
        x_log: The horizontal axis is logarithmic.
        y_log: The vertical axis is logarithmic.
        styles: Color and style of each line, in matplotlib's notation.

    Example:
        blockdsl.testing.Benchmark(
            x_names=["n"], x_vals=[2**i for i in range(12, 24)], line_arg="provider",
            line_vals=["blockdsl", "torch"], line_names=["blockdsl", "torch"], plot_name="vector-add", args={},
            ylabel="GB/s", x_log=True,
        )
    """

    x_names: Sequence[str]
    x_vals: Sequence[Any]
    line_arg: str
    line_vals: Sequence[Any]
    line_names: Sequence[str]
    plot_name: str
    args: dict[str, Any]
    xlabel: str = ""
    ylabel: str = ""
    x_log: bool = False
    y_log: bool = False
    styles: Sequence[tuple[str, str]] | None = None

    def points(self) -> Iterator[dict[str, Any]]:
        """Yields the sizes, by name."""
        for value in self.x_vals:
            sizes = list(value) if isinstance(value, (list, tuple)) else [value] * len(self.x_names)
            if len(sizes) != len(self.x_names):
                raise ValueError(
                    f"each of x_vals has {len(self.x_names)} values, for {', '.join(self.x_names)}; got {value!r}"
                )
            yield dict(zip(self.x_names, sizes, strict=True))


@dataclass
class Mark:
    """A function with benchmarks; ``run`` measures them.

    Attributes:
        fn: Returns the measured value for a size and a line, optionally with a lower and an upper bound.
        benchmarks: The benchmarks.
    """

    fn: Callable[..., Any]
    benchmarks: Benchmark | Sequence[Benchmark]

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | Path = "",
        return_df: bool = False,
        diff_col: bool = False,
        save_precision: int = 6,
        **kwargs: Any,
    ) -> Any:
        """Measures, and shows or stores the requested results.

        Args:
            show_plots: Opens a window with each plot.
            print_data: Prints each table.
            save_path: A directory for a CSV file and a PNG of each benchmark, and a page with all plots.
            return_df: Returns the table of each benchmark as a data frame of pandas.
            diff_col: Adds the difference of two lines to their table.
            save_precision: Digits after the decimal point in the CSV file.
            **kwargs: Further arguments of the function.
        """
        _import("pandas")
        if show_plots or save_path:
            _import("matplotlib")
        single = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if isinstance(self.benchmarks, Benchmark) else list(self.benchmarks)
        frames = []
        for benchmark in benchmarks:
            frame = self._measure(benchmark, kwargs)
            if show_plots or save_path:
                _plot(benchmark, frame, show_plots, save_path)
            frame = frame[[*benchmark.x_names, *benchmark.line_names]]
            if diff_col and len(benchmark.line_names) == 2:
                first, second = benchmark.line_names
                frame = frame.assign(Diff=frame[second] - frame[first])
            if print_data:
                print(f"{benchmark.plot_name}:\n{frame.to_string()}")
            if save_path:
                path = Path(save_path) / f"{benchmark.plot_name}.csv"
                frame.to_csv(path, float_format=f"%.{save_precision}f", index=False)
            frames.append(frame)
        if save_path:
            _page(Path(save_path), benchmarks)
        if not return_df:
            return None
        return frames[0] if single else frames

    def _measure(self, benchmark: Benchmark, further: dict[str, Any]) -> Any:
        """Returns a table with three columns for each line: the value, and its lower and upper bound."""
        names = benchmark.line_names
        rows = []
        for sizes in benchmark.points():
            figures = [
                _three(self.fn(**sizes, **{benchmark.line_arg: value}, **benchmark.args, **further))
                for value in benchmark.line_vals
            ]
            rows.append([*sizes.values(), *(figure[end] for end in range(3) for figure in figures)])
        columns = [*benchmark.x_names, *(f"{name}{end}" for end in ("", "-min", "-max") for name in names)]
        return _import("pandas").DataFrame(rows, columns=columns)


def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable[..., Any]], Mark]:
    """Makes a benchmark of a function that measures one size of one line.

    Args:
        benchmarks: One or several benchmarks.

    Example:
        @blockdsl.testing.perf_report(benchmark)
        def bench(n, provider):
            return blockdsl.testing.do_bench(lambda: CALLS[provider](n))

        bench.run(print_data=True, save_path="plots")
    """
    return lambda fn: Mark(fn, benchmarks)


def _three(result: Any) -> tuple[float, float, float]:
    """Returns a value with its bounds. Missing bounds are NaN, and are not drawn."""
    if not isinstance(result, (tuple, list)):
        return (math.nan if result is None else float(result), math.nan, math.nan)
    middle, low, high = (math.nan if value is None else float(value) for value in result)
    return (middle, low, high)


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"perf_report needs {name.partition('.')[0]}, which is not installed; install it with: "
            "pip install 'blockdsl[report]'",
            name=name,
        ) from error


def _plot(benchmark: Benchmark, frame: Any, show: bool, save_path: str | Path) -> None:
    # Without a window matplotlib's global state is not changed.
    make = _import("matplotlib.pyplot").figure if show else _import("matplotlib.figure").Figure
    figure = make(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    sizes = frame[benchmark.x_names[0]]
    for index, name in enumerate(benchmark.line_names):
        color, style = (benchmark.styles or ())[index] if benchmark.styles else (f"C{index}", "-")
        axes.plot(sizes, frame[name], label=name, color=color, linestyle=style, marker="o", markersize=3)
        low, high = frame[f"{name}-min"], frame[f"{name}-max"]
        if not low.isna().all() and not high.isna().all():
            axes.fill_between(sizes, low, high, color=color, alpha=0.15, linewidth=0)
    axes.set_title(benchmark.plot_name)
    axes.set_xlabel(benchmark.xlabel or benchmark.x_names[0])
    axes.set_ylabel(benchmark.ylabel)
    axes.set_xscale("log" if benchmark.x_log else "linear", **({"base": 2} if benchmark.x_log else {}))
    axes.set_yscale("log" if benchmark.y_log else "linear")
    if not benchmark.y_log:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    if save_path:
        Path(save_path).mkdir(parents=True, exist_ok=True)
        figure.savefig(Path(save_path) / f"{benchmark.plot_name}.png", dpi=120)
    if show:
        _import("matplotlib.pyplot").show()


def _page(directory: Path, benchmarks: Sequence[Benchmark]) -> None:
    images = "\n".join(
        f'<img src="{html.escape(each.plot_name)}.png" alt="{html.escape(each.plot_name)}">' for each in benchmarks
    )
    (directory / "results.html").write_text(f"<!DOCTYPE html>\n<title>results</title>\n{images}\n", encoding="utf-8")
