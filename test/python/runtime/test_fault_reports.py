"""Tests of the report of a kernel that accesses unmapped memory: its name and the launch's arguments."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.without_sanitizers("a sanitizer handles faults itself")

PROGRAM = Path(__file__).parent / "faults" / "faulting_program.py"


def said(case: str, *flags: str) -> str:
    run = subprocess.run(
        [sys.executable, *flags, str(PROGRAM), case], capture_output=True, text=True, timeout=300, cwd=PROGRAM.parent
    )
    assert run.returncode == -signal.SIGSEGV, run.stderr
    return run.stderr


def test_a_store() -> None:
    report = said("store").splitlines()
    assert re.fullmatch(
        r"blockdsl: segmentation fault in kernel 'store_far' "
        rf"\({re.escape(str(PROGRAM))}:\d+\), at address 0x[0-9a-f]+",
        report[0],
    )
    assert report[1] == "  grid (1, 2, 1)"
    argument = re.search(
        r"  argument 'y': spans 64 elements of fp32, 0x([0-9a-f]+) to 0x([0-9a-f]+); "
        r"the address is (\d+) bytes behind its end",
        "\n".join(report),
    )
    assert argument is not None
    assert int(argument[2], 16) - int(argument[1], 16) == 256
    assert 2**32 - 256 <= int(argument[3]) < 2**32
    assert "BLOCKDSL_INTERPRET=1" in report[-1]
    assert len(report) == 5


def test_a_load() -> None:
    report = said("load")
    assert "in kernel 'load_far'" in report
    assert re.search(r"'x': spans 64 elements of i64, .* bytes before its begin", report)
    assert re.search(r"'y': spans 64 elements of fp32, .* bytes before its begin", report)


@pytest.mark.parametrize("whose", ["torch", "own"])
def test_fault_on_several_threads_is_reported_once(whose: str) -> None:
    report = said(whose)
    assert report.count("blockdsl: segmentation fault in kernel 'second_half_far'") == 1
    assert "  grid (1024, 1, 1)\n" in report
    assert report.count("spans 1048576 elements of fp32") == 2


def test_a_stock_kernel() -> None:
    report = said("stock")
    source = PROGRAM.parent / "stock.py"
    line = source.read_text().splitlines().index("def store_far(y, k, BLOCK: tl.constexpr):") + 1
    assert f"blockdsl: segmentation fault in kernel 'store_far' ({source}:{line})" in report
    assert re.search(r"'y': spans 64 elements of fp32, .* behind its end", report)


@pytest.mark.parametrize(("case", "flags"), [("store", ("-X", "faulthandler")), ("faulthandler", ())])
def test_faulthandler_reports_too(case: str, flags: tuple[str, ...]) -> None:
    report = said(case, *flags)
    assert "blockdsl: segmentation fault in kernel 'store_far'" in report
    assert "argument 'y': spans 64 elements of fp32" in report
    assert "Fatal Python error: Segmentation fault" in report


@pytest.mark.parametrize("case", ["outside", "sent"])
def test_foreign_faults_are_not_reported(case: str) -> None:
    assert said(case) == ""
