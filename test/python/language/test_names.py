"""Which names the language has, against stock Triton's."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
import triton.language

import blockdsl.language as tl
from blockdsl.errors import MissingNameError


def test_every_name_of_tritons_is_there() -> None:
    modules = {name for name, value in vars(triton.language).items() if inspect.ismodule(value)}
    theirs = {*vars(triton.language)} - modules | {*triton.language.__all__}
    assert [name for name in theirs if not name.startswith("_") and not hasattr(tl, name)] == []


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(MissingNameError, match=r"module 'blockdsl\.language' has no attribute 'aranje'") as got:
        _ = tl.aranje
    assert got.value.hint == "did you mean 'arange'?"


def test_libdevice_is_imported_when_somebody_asks_for_it() -> None:
    program = (
        "import sys, blockdsl.language as tl\n"
        "print('extra' in dir(tl), 'blockdsl.language.extra' in sys.modules)\n"
        "print(tl.extra.cuda.libdevice.tanh.name, 'blockdsl.language.extra' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True False", "libdevice.tanh True"]
