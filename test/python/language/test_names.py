"""Which names the language has, against stock Triton's."""

from __future__ import annotations

import inspect

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
