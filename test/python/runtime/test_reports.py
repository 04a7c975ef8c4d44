"""perf_report: tables, files and plots."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.image
import pandas
import pytest

from blockdsl.testing import Benchmark, Mark, perf_report


def benchmark(**changes: Any) -> Benchmark:
    fields: dict[str, Any] = {
        "x_names": ["n"],
        "x_vals": [64, 128, 256],
        "line_arg": "provider",
        "line_vals": ["ours", "theirs"],
        "line_names": ["Ours", "Theirs"],
        "plot_name": "speed",
        "args": {"factor": 2},
        "ylabel": "GB/s",
    }
    return Benchmark(**{**fields, **changes})


def measured(provider: str, factor: int, n: int = 0, **sizes: int) -> Any:
    value = factor * (n + sum(sizes.values()))
    return (value, value - 8, value + 8) if provider == "ours" else value + 0.5


def test_a_table() -> None:
    frame = perf_report(benchmark())(measured).run(return_df=True)
    assert frame.columns.tolist() == ["n", "Ours", "Theirs"]
    assert frame.to_numpy().tolist() == [[64, 128, 128.5], [128, 256, 256.5], [256, 512, 512.5]]


def test_report_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert perf_report(benchmark())(measured).run(print_data=True, diff_col=True) is None
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "speed:"
    assert lines[1].split() == ["n", "Ours", "Theirs", "Diff"]
    assert lines[2].split() == ["0", "64", "128.0", "128.5", "0.5"]


def test_several_benchmarks_and_several_sizes() -> None:
    mark = perf_report([benchmark(), benchmark(x_names=["m", "k"], x_vals=[(1, 2), 5])])(measured)
    assert isinstance(mark, Mark)
    first, second = mark.run(return_df=True)
    assert len(first) == 3
    assert second.to_numpy().tolist() == [[1, 2, 6, 6.5], [5, 5, 20, 20.5]]


def test_sizes_that_do_not_fit_their_names() -> None:
    with pytest.raises(ValueError, match=r"each of x_vals has 2 values, for m, k; got \(1, 2, 3\)"):
        perf_report(benchmark(x_names=["m", "k"], x_vals=[(1, 2, 3)]))(measured).run()


def test_files(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "plots"
    styles = [("blue", "-"), ("#00ff00", "--")]
    marks = [benchmark(styles=styles, x_log=True), benchmark(plot_name="<other>", y_log=True)]
    perf_report(marks)(measured).run(save_path=str(directory), save_precision=2)
    assert (directory / "speed.csv").read_text().splitlines()[:2] == ["n,Ours,Theirs", "64,128.00,128.50"]
    assert pandas.read_csv(directory / "<other>.csv").shape == (3, 3)
    assert '<img src="&lt;other&gt;.png"' in (directory / "results.html").read_text()
    pixels = matplotlib.image.imread(directory / "speed.png")[..., :3]
    assert pixels.shape[0] > 300 and pixels.shape[1] > 500
    for color in ((0, 0, 1), (0, 1, 0)):
        assert (abs(pixels - color).max(axis=2) < 0.02).sum() > 50


def test_further_arguments_reach_the_function() -> None:
    def weighed(n: int, provider: str, factor: int, weight: int) -> float:
        return weight

    assert perf_report(benchmark())(weighed).run(return_df=True, weight=3)["Ours"].tolist() == [3, 3, 3]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"perf_report needs matplotlib, .*: pip install 'blockdsl\[report\]'"):
        perf_report(benchmark())(measured).run(save_path=tmp_path)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="perf_report needs pandas"):
        perf_report(benchmark())(measured).run()


def test_import_loads_no_optional_package() -> None:
    program = (
        "import sys, blockdsl.testing\n"
        "heavy = {'torch', 'pandas', 'matplotlib', 'triton', 'llvmlite'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
