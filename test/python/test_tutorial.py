"""Chapters of the tutorial as programs: each runs to its end, through its own assertions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted(ROOT.glob("examples/tutorial/[0-9]_*.py"))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_a_program(chapter: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, str(chapter)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_chapter_explains_cpu_and_gpu(chapter: Path) -> None:
    text = chapter.read_text(encoding="utf-8")
    assert "\n# On a CPU\n# --------\n" in text
    assert "\n# On a GPU\n# --------\n" in text


def test_chapters_are_numbered() -> None:
    assert [path.name[0] for path in CHAPTERS] == [str(number) for number in range(1, len(CHAPTERS) + 1)]
    titles = [path.read_text(encoding="utf-8").split("\n")[1] for path in CHAPTERS]
    assert [title.partition(".")[0] for title in titles] == [path.name[0] for path in CHAPTERS]
