"""The pages for users: their programs run as they stand, their links lead somewhere, their lists are complete."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pages
from pages import compatibility

ROOT = Path(__file__).resolve().parents[2]
GENERATED = pages.made()
# Of docs/reference, dialects, passes and the like Sphinx checks the links.
MADE_FOR_HTML = ("reference", "dialects", "passes", "tutorial")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if path.parent.name not in MADE_FOR_HTML
)


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def outputs(page: str, directory: Path) -> str:
    """What the programs of a page print, run as one."""
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


def test_the_page_on_tuning(tmp_path: Path) -> None:
    printed = outputs("docs/tuning.md", tmp_path)
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
    """The names by which GitHub links to the headings of a page."""
    headings = re.findall(r"^#+ +(.*)", re.sub(r"^```.*?^```", "", text(page), flags=re.DOTALL | re.MULTILINE), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_to_headings_lead_somewhere(page: str) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`", "", text(page), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(((?!https?:)[^)#]*\.md|)#([^)]+)\)", prose):
        found = (ROOT / page).parent.joinpath(target).resolve().relative_to(ROOT).as_posix() if target else page
        assert anchor in anchors(found), (target, anchor)


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_a_generated_page_is_what_the_generator_gives(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == GENERATED[path], "make docs writes it"


@pytest.mark.parametrize(("seen", "said"), [
    (["int8", "int16", "int32", "int64"], "i8-i64"), (["fp32", "int1", ""], "i1 fp32"), ([""], "✓"), ([], "-"),
    (["uint8", "fp8e5", "fp16", "bf16", "fp64", "fp32", "str"], "u8 fp16 bf16 fp32 fp64 fp8e5 str"),
])  # fmt: skip
def test_element_types_in_few_words(seen: list[str], said: str) -> None:
    assert compatibility.types(seen) == said


def test_what_is_listed_has_to_be_used() -> None:
    everything = json.loads(compatibility.VERIFIED.read_text())
    assert compatibility.unseen(everything) == []
    everything["compiled"]["sort"].remove("fp16")
    del everything["interpreted"]["gather"]
    first, second, third = compatibility.unseen(everything)
    assert first == "sort, compiled: fp16" and second.startswith("gather, interpreted: ")
    # On a GPU runs what was compiled.
    assert third == "sort, gpu: fp16"
