"""Tests of ``python -m blockdsl env``: its report, and every variable with its value and its default."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from blockdsl import knobs
from blockdsl.commands import report
from blockdsl.compiler.target import Target

ROOT = Path(__file__).resolve().parents[3]
# Names that a source file reads: os.environ.get("NAME"), os.environ["NAME"], os.getenv, std::getenv, secure_getenv.
READS = re.compile(r"(?:environ(?:\.get|\.pop|\.setdefault)?|getenv)\s*[\[(]\s*[\"'](\w+)[\"']")


def sources() -> list[Path]:
    directories = [ROOT / "python", ROOT / "lib", ROOT / "include"]
    return [path for directory in directories for path in directory.rglob("*") if path.suffix in (".py", ".cpp", ".h")]


def run(*arguments: str, **variables: str) -> str:
    names = {knob.name for knob in knobs.ALL}
    plain = {name: value for name, value in os.environ.items()
             if name not in names and not name.startswith(knobs.TRITON.prefixes)}  # fmt: skip
    environment = {**plain, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": "/home/somebody", **variables}
    done = subprocess.run(
        [sys.executable, "-m", "blockdsl", *arguments], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def overview(**variables: str) -> str:
    return run("env", **variables)


def test_every_variable_read_is_documented() -> None:
    names = {knob.name for knob in knobs.ALL}
    found = {name: path.name for path in sources() for name in READS.findall(path.read_text(encoding="utf-8"))}
    assert found, "nothing is found to be read"
    assert {name: file for name, file in found.items() if name not in names} == {}


def test_knobs_match_the_table() -> None:
    assert READS.findall('os.environ.get("A"), os.environ["B"], os.getenv(\'C\'), std::getenv("D")') == [
        "A",
        "B",
        "C",
        "D",
    ]


def test_the_overview() -> None:
    lines = overview().splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        *(knob.name for knob in knobs.ALL), *(f"{family.prefixes[0]}*," for family in knobs.FAMILIES)
    ]  # fmt: skip
    assert lines[0] == "  blockdsl 0.1.0, the language of Triton 3.9.0"
    assert "BLOCKDSL_CACHE             1  (default)" in lines
    assert "BLOCKDSL_CACHE_DIR         /home/somebody/.cache/blockdsl  (default)" in lines
    assert "    Whether compiled kernels are kept on disk." in lines
    assert lines[-1] == "    (none is set)"


def test_the_version() -> None:
    assert run("--version") == "blockdsl 0.1.0, the language of Triton 3.9.0\n"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '\nversion = "0.1.0"\n' in project


def test_the_report(tmp_path: Path) -> None:
    (tmp_path / "of_a_kernel").mkdir()
    (tmp_path / "of_a_kernel" / "code").write_bytes(bytes(1_500_000))
    cpu_level = os.environ.get("BLOCKDSL_CPU", "")
    printed = overview(
        BLOCKDSL_CACHE_DIR=str(tmp_path), BLOCKDSL_NUM_THREADS="3", BLOCKDSL_CPU=cpu_level, TRITON_DEFAULT_BACKEND="cpu"
    )
    facts = dict(re.findall(r"^  ([a-z]+)  +(.*)$", printed, re.MULTILINE))
    assert facts["python"].startswith(f"{platform.python_version()} (CPython), Linux-")
    versions = {name: metadata.version(name) for name in ("llvmlite", "numpy", "torch", "triton")}
    assert facts["packages"] == ", ".join(f"{name} {version}" for name, version in versions.items())
    cpu = Target.host()
    assert facts["cpu"].startswith(f"{cpu.cpu}, vectors of {cpu.vector_bits} bits: ")
    assert facts["threads"] == f"at most 3 on {len(os.sched_getaffinity(0))} CPUs"
    assert facts["driver"] == "of triton: cpu 0"
    assert facts["cache"] == f"{tmp_path}, 1 files, 1.5 MB"
    assert re.fullmatch(r"none|(cuda:\d+(, )?)+", facts["gpus"])


def test_a_report_without_triton_and_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "triton":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    lines = [*report.lines()]
    assert "packages  llvmlite 1.0, numpy 1.0, torch 1.0, triton -" in lines
    assert "driver    none without triton" in lines
    assert "cache     off" in lines


def test_set_variables_are_reported() -> None:
    lines = overview(BLOCKDSL_DUMP="ttir,asm", BLOCKDSL_NUM_THREADS="3", XDG_CACHE_HOME="/caches",
                     TRITON_ALWAYS_COMPILE="1").splitlines()  # fmt: skip
    assert "BLOCKDSL_DUMP              ttir,asm  (default: none)" in lines
    assert "BLOCKDSL_NUM_THREADS       3  (default: none)" in lines
    assert "BLOCKDSL_CACHE_DIR         /caches/blockdsl  (default)" in lines
    assert lines[-1] == "    TRITON_ALWAYS_COMPILE=1"


def test_closed_output_pipe_is_ignored() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "blockdsl", "env"], env=environment, stdout=writing, stderr=subprocess.PIPE, timeout=300
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_full_disk_is_reported() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "blockdsl", "env"], env=environment, stdout=full, stderr=subprocess.PIPE, timeout=300
        )
    assert (done.returncode, done.stderr) == (1, b"[Errno 28] No space left on device\n")
