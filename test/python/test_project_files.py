"""Tests of files about the project for people and code hosts: repeated data, such as the version, is equal in all."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import pytest

import changelog
import long_description
import sdist

ROOT = Path(__file__).resolve().parents[2]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_workflow_runs_the_targets_that_a_change_has_to_pass() -> None:
    targets = re.findall(r"^make (\w+)$", text(".ci/run"), re.MULTILINE)
    found = re.search(r"^ +target: \[(.*)\]$", text(".github/workflows/ci.yml"), re.MULTILINE)
    assert found is not None
    assert sorted(found[1].split(", ")) == sorted(targets)
    assert len(targets) >= 4
    makefile = text("Makefile")
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_versions_are_equal() -> None:
    project = re.search(r'^version = "(.*)"$', text("pyproject.toml"), re.MULTILINE)
    citation = re.search(r"^version: (.*)$", text("CITATION.cff"), re.MULTILINE)
    package = re.search(r'^__version__ = ".*\+blockdsl\.(.*)"$', text("python/blockdsl/__init__.py"), re.MULTILINE)
    assert project is not None
    assert citation is not None
    assert package is not None
    assert project[1] == citation[1] == package[1]


def test_commits_are_checked_by_the_programs_of_the_lint() -> None:
    hooks = text(".pre-commit-config.yaml")
    recipe = text("Makefile").partition("\nlint:")[2].partition("\n\n")[0]
    programs = re.findall(r"\.venv/bin/([\w-]+)|\$\(PYTHON\) (tools/\w+\.py)", recipe)
    names = {program or script for program, script in programs}
    assert {"ruff", "mypy", "clang-format", "tools/check_words.py"} <= names
    assert [name for name in names if name not in hooks] == []


README = """# blockdsl
<!-- figures: kernels -->
Text with [a page](docs/a.md#b) and [a site](https://example.org/x).
![A chart](docs/charts/a.svg)
```sh
echo "[code](stays.md)"
```
"""


def test_the_description_of_a_distribution_has_no_relative_link() -> None:
    plain = long_description.text(README, "", "1.2.3")
    assert "Text with a page and [a site](https://example.org/x)." in plain
    assert "A chart" not in plain
    assert "<!--" not in plain
    assert '"[code](stays.md)"' in plain
    there = long_description.text(README, "https://example.org/o/blockdsl/", "1.2.3")
    assert "[a page](https://example.org/o/blockdsl/blob/v1.2.3/docs/a.md#b)" in there
    assert "![A chart](https://example.org/o/blockdsl/raw/v1.2.3/docs/charts/a.svg)" in there
    own = long_description.text(text("README.md"), "", "0")
    assert "](docs/" not in own
    assert "docs/charts" not in own


def test_a_draft_of_the_changelog_is_replaced_and_a_release_is_kept() -> None:
    head, released = "# Changelog\n\nA line.\n\n", "## 0.1.0 (2026-12-01)\n\n- Old.\n"
    draft = "## 0.2.0 (not released)\n\n### Speed\n\n- New.\n\n"
    assert changelog.without_draft(head + draft + released, "0.2.0") == head + released
    assert changelog.without_draft(head + released, "0.1.0") == head + released


def test_files_of_the_changelog_name_a_type() -> None:
    assert changelog.untyped(["a.speed.md", "README.md"], ["speed"]) == []
    assert changelog.untyped(["a.md", "b.fast.md", "c.speed.md"], ["speed"]) == ["a.md", "b.fast.md"]


def test_files_missing_from_source_distribution_are_named(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(ROOT / "README.md", "blockdsl-0.1.0/README.md")
    assert sdist.lacking(archive, ["README.md", "lib/CMakeLists.txt", ".github/x", ".gitignore"]) == [
        "lib/CMakeLists.txt"
    ]


def test_long_tests_start_first(request: pytest.FixtureRequest) -> None:
    later = [item.get_closest_marker("long") is None for item in request.session.items]
    assert later == sorted(later)
