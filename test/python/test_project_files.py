"""Files about the project for people and code hosts: what they repeat of others is equal there."""

from __future__ import annotations

import re
from pathlib import Path

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
