"""Tests of every message that a kernel's author can get, whole: both values, location, line, caret, hint."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
for _file in sorted(Path(__file__).parent.glob("mistakes_*.py")):
    importlib.import_module(_file.stem)

from refusals import CASES  # noqa: E402 - the cases register themselves above


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    assert CASES[name].message() == CASES[name].expected


def test_number_of_messages() -> None:
    assert len(CASES) >= 45


def test_every_message_has_a_location() -> None:
    assert [name for name, case in CASES.items() if "kernel+" not in case.expected] == []
