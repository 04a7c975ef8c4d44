"""Tests of the language's names against stock Triton's."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import triton.language

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import MissingNameError


def test_every_triton_name_exists() -> None:
    modules = {name for name, value in vars(triton.language).items() if inspect.ismodule(value)}
    triton_names = {*vars(triton.language)} - modules | {*triton.language.__all__}
    assert [name for name in triton_names if not name.startswith("_") and not hasattr(tl, name)] == []


def test_unknown_name() -> None:
    with pytest.raises(MissingNameError, match=r"module 'blockdsl\.language' has no attribute 'aranje'") as got:
        _ = tl.aranje
    assert got.value.hint == "did you mean 'arange'?"


def test_libdevice_is_imported_lazily() -> None:
    program = (
        "import sys, blockdsl.language as tl\n"
        "print('extra' in dir(tl), 'blockdsl.language.extra' in sys.modules)\n"
        "print(tl.extra.cuda.libdevice.tanh.name, 'blockdsl.language.extra' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True False", "libdevice.tanh True"]


LISTING = """
import triton, types

def reached(module):
    for name, value in [*vars(module).items()]:
        if isinstance(value, types.ModuleType) and value.__name__ == f"{module.__name__}.{name}" and name[0] != "_":
            print(value.__name__.removeprefix("triton."))
            reached(value)

reached(triton)
"""


def output_of(program: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_one_import_loads_the_same_submodules_as_in_triton() -> None:
    root = Path(blockdsl.__path__[0])
    imported = [name for name in output_of(LISTING) if [*root.glob(name.replace(".", "/") + "*")]]
    assert {"compiler.compiler", "backends.compiler"} <= {*imported}
    found = output_of(f"import blockdsl\nfor name in {imported}: eval('blockdsl.' + name); print(name)")
    assert found == imported
