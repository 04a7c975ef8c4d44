"""Checks a kernel's IR against CHECK lines, which are comments inside the kernel itself."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from blockdsl.frontend import Specialization, build_module
from blockdsl.language import types
from blockdsl.mlir import ir

FILECHECK = next((found for name in ("FileCheck-22", "FileCheck") if (found := shutil.which(name))), "")
FILECHECK = FILECHECK or "/usr/lib/llvm-22/bin/FileCheck"


def module_of(kernel: Any, **arguments: Any) -> ir.Module:
    """Returns the kernel's module; a text that starts like a type is a type, anything else a constant."""
    given = {name: value for name, value in arguments.items() if isinstance(value, str)}
    for value in given.values():
        types.parse(value)
    constants = {name: value for name, value in arguments.items() if name not in given}
    return build_module(kernel.source, Specialization(given, constants), ir.Context())


def filecheck(*, locations: bool = False, **arguments: Any) -> Callable[[Any], Callable[[], None]]:
    """Makes a test of a kernel: its module, with source locations if asked for, must match its comments.

    Example:
        @filecheck(x="*fp32")
        @blockdsl.jit
        def test_load(x):
            # CHECK: tt.load
            tl.load(x)
    """

    def make(kernel: Any) -> Callable[[], None]:
        def test() -> None:
            text = module_of(kernel, **arguments).operation.get_asm(enable_debug_info=locations)
            with tempfile.TemporaryDirectory() as directory:
                checks = Path(directory) / "kernel.py"
                checks.write_text(kernel.source.text)
                found = subprocess.run(
                    [FILECHECK, str(checks), "--dump-input=fail"],
                    input=text,
                    text=True,
                    capture_output=True,
                    check=False,
                )
            assert found.returncode == 0, found.stderr

        test.__name__ = kernel.source.name
        return test

    return make
