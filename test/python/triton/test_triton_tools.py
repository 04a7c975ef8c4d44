"""Tests of Triton's command-line tools, which need a driver: with ours they write C for a GPU on any machine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import triton

IS_36 = triton.__version__.startswith("3.6.")
KERNELS = Path(__file__).parent / "stock_kernels.py"


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *map(str, words)], capture_output=True, text=True, timeout=300)


def compile_for(target: str, signature: str, output: Path) -> subprocess.CompletedProcess[str]:
    return run(
        "triton.tools.compile", KERNELS, "--kernel-name", "add", "--signature", signature, "--grid", "n / 64,1,1",
        "--out-name", "add", "--out-path", output, "--target", target,
    )  # fmt: skip


def test_kernels_for_gpus_are_compiled_and_linked(tmp_path: Path) -> None:
    for signature in ("*fp32:16, *fp32:16, *fp32:16, i32, 64", "*fp32, *fp32, *fp32, i32, 64"):
        done = compile_for("cuda:90:32", signature, tmp_path / "add")
        if IS_36:
            # It compares the given capability, a string, with a number, on every machine.
            assert "TypeError: '>=' not supported between instances of 'str' and 'int'" in done.stderr
            return
        assert done.returncode == 0, done.stderr
    done = run("triton.tools.link", *tmp_path.glob("*.h"), "-o", tmp_path / "linked")
    assert done.returncode == 0, done.stderr
    prototype = re.search(r"add_default\((.*)\);", (tmp_path / "linked.h").read_text())
    assert prototype
    types, names = zip(*(each.split() for each in prototype[1].split(", ")), strict=True)
    assert names == ("stream", "x_ptr", "y_ptr", "out_ptr", "n")
    assert types[-1] == "int32_t"
    # Only types are checked: a function that Triton writes ends without a return.
    headers = Path(triton.__file__).parent / "backends" / "nvidia" / "include"
    for source in tmp_path.glob("*.c"):
        subprocess.run(["clang-22", "-fsyntax-only", "-Werror", "-Wno-return-type", "-I", headers, source], check=True)


def test_writes_nothing_for_a_cpu(tmp_path: Path) -> None:
    # docs/ahead_of_time.md describes C code for CPUs; Triton's program cannot write it.
    assert compile_for("cpu:0:1", "*fp32, *fp32, *fp32, i32, 64", tmp_path / "add").returncode != 0
    assert not list(tmp_path.glob("add*"))
