"""Tests of the pages for users: their programs run unchanged, their links are valid, their lists are complete."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import pages
from benchmarks import record
from pages import charts, compatibility, figures

ROOT = Path(__file__).resolve().parents[2]
GENERATED = pages.made()
# Sphinx checks the links of docs/reference, dialects, passes and the like.
MADE_FOR_HTML = ("reference", "dialects", "passes", "tutorial")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if path.parent.name not in MADE_FOR_HTML
)


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def outputs(page: str, directory: Path) -> str:
    """Returns the output of a page's programs, run as one."""
    program = directory / "page.py"
    program.write_text("\n".join(re.findall(r"^```python\n(.*?)^```", text(page), re.DOTALL | re.MULTILINE)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(program)], cwd=directory, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_page(tmp_path: Path) -> None:
    assert ".visible .entry softmax_rows" in outputs("README.md", tmp_path)


def test_the_page_for_beginners(tmp_path: Path) -> None:
    assert outputs("docs/getting_started.md", tmp_path).splitlines() == ["True"]


def test_the_page_on_slow_kernels(tmp_path: Path) -> None:
    printed = outputs("docs/when_slow.md", tmp_path)
    assert re.match(r"BLOCK=\d+, num_warps=4, num_ctas=1, num_stages=3\nscale:\n +n +blockdsl +torch\n", printed)
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {"scale.csv", "scale.png", "results.html"}


def test_the_page_on_terms(tmp_path: Path) -> None:
    assert outputs("docs/terms.md", tmp_path).splitlines() == ["(3, 3) True"]


def test_the_page_on_triton(tmp_path: Path) -> None:
    assert outputs("docs/triton.md", tmp_path).splitlines() == ["tensor(True)", "True", "True"]


def test_the_page_on_torch_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
    assert outputs("docs/torch_compile.md", tmp_path).startswith("def triton_")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`", "", text(page), flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", prose) if not link.startswith("https://")]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def anchors(page: str) -> set[str]:
    """Returns the anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ +(.*)", re.sub(r"^```.*?^```", "", text(page), flags=re.DOTALL | re.MULTILINE), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_to_headings_lead_somewhere(page: str) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`", "", text(page), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(((?!https?:)[^)#]*\.md|)#([^)]+)\)", prose):
        found = (ROOT / page).parent.joinpath(target).resolve().relative_to(ROOT).as_posix() if target else page
        assert anchor in anchors(found), (target, anchor)


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_generated_page_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == GENERATED[path], "make docs writes it"


# Pages on which measured figures are permitted only between the comments of pages.figures.
MEASURED = ("README.md", "docs/performance.md", "docs/torch_compile.md", "docs/triton.md", "docs/getting_started.md")
FIGURE = re.compile(r"\d(?:\.\d+)? (?:[nµm]s|x|GB/s|TB/s|T?G?FLOP/s)\b|\b\d\.\d+ (?:times|of)\b")


@pytest.mark.parametrize("page", MEASURED)
def test_measured_figures_come_from_the_record(page: str) -> None:
    prose = re.sub(r"```.*?```", "", figures.BLOCK.sub("", text(page)), flags=re.DOTALL)
    assert FIGURE.findall(prose) == []


def test_a_figure_without_the_record_is_found() -> None:
    assert [FIGURE.search(line) is not None for line in ("takes 3.4 µs", "1.67 times as long", "0.29 of it")] == [
        True
    ] * 3
    assert FIGURE.search("Triton 3.6 to 3.9, 16 bytes, four times") is None


def test_every_chart_is_on_the_page_on_performance() -> None:
    assert set(re.findall(r"\(charts/(\w+)\.svg\)", text("docs/performance.md"))) == {*figures.CHARTS}
    assert len(figures.CHARTS) == 5


def test_every_block_of_figures_is_known_and_shown() -> None:
    figures_shown = [found[2] for page in MEASURED for found in figures.BLOCK.finditer(text(page))]
    assert {*figures_shown} == {*figures.BLOCKS}


@pytest.mark.parametrize("chart", figures.CHARTS)
def test_charts_are_drawn_within_their_frame(chart: str) -> None:
    root = ElementTree.fromstring(figures.CHARTS[chart]().svg())
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    for bar in root.findall("{*}rect"):
        x, y, *size = (float(bar.attrib[name]) for name in ("x", "y", "width", "height"))
        assert 0 < size[0] <= width - x
        assert 0 < size[1] <= height - y
    # The widest letters of labels, which are aligned at their end, are narrower than 8.
    for label in root.findall("{*}text[@text-anchor='end']"):
        assert 8 * len(label.text or "") < charts.LABELS + 24, label.text


def test_a_measurement_replaces_the_row_of_its_kernel_alone(tmp_path: Path) -> None:
    path = tmp_path / "recorded.json"
    first = {"kernel": "add", "size": "1 Ki", "threads": 1, "seconds": 0.123456, "torch_over_ours": 1.5}
    record.write("here", "a machine", "kernels", [first, {**first, "size": "2 Ki"}], "2.13", path=path)
    record.write("here", "", "kernels", [{**first, "seconds": 2.0, "limit_share": None}], "2.14", path=path)
    machine = record.load(path)["here"]
    assert machine["name"] == "a machine"
    assert machine["kernels"]["torch"] == "2.14"
    assert [(row["size"], row["seconds"]) for row in machine["kernels"]["rows"]] == [("1 Ki", 2.0), ("2 Ki", 0.1235)]
    assert "limit_share" not in machine["kernels"]["rows"][0]


def test_the_record_is_written_as_it_is_read() -> None:
    assert record.PATH.read_text(encoding="utf-8") == record.text(record.load())


@pytest.mark.parametrize(("seen", "summary"), [
    (["int8", "int16", "int32", "int64"], "i8-i64"), (["fp32", "int1", ""], "i1 fp32"), ([""], "✓"), ([], "-"),
    (["uint8", "fp8e5", "fp16", "bf16", "fp64", "fp32", "str"], "u8 fp16 bf16 fp32 fp64 fp8e5 str"),
])  # fmt: skip
def test_element_types_are_summarized(seen: list[str], summary: str) -> None:
    assert compatibility.types(seen) == summary


def test_listed_entries_are_used() -> None:
    everything = json.loads(compatibility.VERIFIED.read_text())
    assert compatibility.unseen(everything) == []
    everything["compiled"]["sort"].remove("fp16")
    del everything["interpreted"]["gather"]
    first, second, third = compatibility.unseen(everything)
    assert first == "sort, compiled: fp16" and second.startswith("gather, interpreted: ")
    # A GPU runs the compiled kernels.
    assert third == "sort, gpu: fp16"
