"""Tests of the lint of header lines, headings and commit titles."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import check_words


@pytest.mark.parametrize("title", [
    "[Dot] Accumulate in f32 for f16 inputs", "Fix the build", "[A, B] Don't fold minnum", "[Lint] Check " + "x" * 59,
])  # fmt: skip
def test_titles_that_pass(title: str) -> None:
    assert list(check_words.complaints_of_title(title)) == []


@pytest.mark.parametrize(("title", "complaint"), [
    ("[Test] Who is met next is asked", "not with 'Who'"), ("Fixes the build", "not with 'Fixes'"),
    ("[Docs] Launches between torch's ops", "not with 'Launches'"), ("fix the build", "not with 'fix'"),
    ("[Lint] Check titles; fix two", "semicolon"), ("[Lint] Check " + "x" * 60, "73 characters"),
])  # fmt: skip
def test_titles_that_are_refused(title: str, complaint: str) -> None:
    (found,) = check_words.complaints_of_title(title)
    assert complaint in found


@pytest.mark.parametrize(("name", "text"), [
    ("a.cpp", "//===- a.cpp - Known bits of integers -----===//\n"), ("a.py", '"""Whole kernels."""\n'), ("a.py", ""),
    ("a.h", "//===- a.h - Limits -----*- C++ -*-===//\n// What follows is free.\n"), ("a.cpp", "int What;\n"),
    ("a.md", "# Title\nWhat follows is free.\n```sh\n# What a shell ignores\n```\n"),
])  # fmt: skip
def test_headers_that_pass(name: str, text: str) -> None:
    assert list(check_words.complaints_of_file(name, text)) == []


@pytest.mark.parametrize(("name", "text"), [
    ("a.cpp", "//===- a.cpp - What is known of integers -----===//\n"), ("a.py", '"""Which names there are."""\n'),
    ("a.h", "//===- a.h - How threads join -----*- C++ -*-===//\n"), ("a.td", "//===-- a.td - Who may write --===//\n"),
    ("a.py", '# A comment\nr"""Nobody looks."""\n'), ("a.md", "# Title\n\n## How fast\n"),
])  # fmt: skip
def test_headers_that_are_refused(name: str, text: str) -> None:
    assert len(list(check_words.complaints_of_file(name, text))) == 1


def commit(directory: Path, title: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "add", "."], cwd=directory, check=True)
    subprocess.run(["git", *identity, "commit", "-q", "--allow-empty", "-m", title], cwd=directory, check=True)


def lint(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "tools/check_words.py", *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose third commit adds the lint, and whose last has an invalid title."""
    made = tmp_path / "repository"
    (made / "tools").mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=made, check=True)
    commit(made, "What was there before; and more")
    commit(made, "Titles of old")
    shutil.copy(check_words.__file__, made / "tools")
    commit(made, "Add the lint")
    assert lint(made).returncode == 0
    commit(made, "Adds a third person")
    return made


def test_titles_are_checked_since_the_lint(repository: Path) -> None:
    done = lint(repository)
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 1)
    assert "not with 'Adds'" in done.stdout
    assert lint(repository, "HEAD~3..HEAD~2").stdout.endswith(": Titles of old\n")


def test_a_shallow_clone_checks_its_own_commits(repository: Path) -> None:
    commit(repository, "The oldest of the shallow clone")
    shallow = repository.parent / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repository}", str(shallow)], check=True)
    assert (lint(shallow).returncode, lint(shallow).stdout) == (0, "")


def test_a_copy_without_history_passes(repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    assert lint(repository).returncode == 0


def test_snapshot_passes_and_later_commits_are_checked(repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)
    commit(repository, "A snapshot")
    assert lint(repository).returncode == 0
    commit(repository, "Adds a third person")
    assert lint(repository).returncode == 1
