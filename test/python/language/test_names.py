"""Which names the language has, against stock Triton's; what is not there yet says so."""

from __future__ import annotations

import pytest
import triton.language

import blockdsl.language as tl
from blockdsl.errors import MissingNameError
from blockdsl.language.absent import ABSENT


def test_every_name_of_tritons_is_there_or_said_to_be_absent() -> None:
    theirs = {name for name in dir(triton.language) if not name.startswith("_")}
    ours = {name for name in theirs if hasattr(tl, name)}
    assert theirs - ours == set(ABSENT)


@pytest.mark.parametrize("name", ABSENT)
def test_an_absent_name_says_so(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"'tl\.{name}' of Triton is not there yet") as got:
        getattr(tl, name)
    assert isinstance(got.value, MissingNameError)
    assert str(got.value.hint).endswith("docs/compatibility.md lists what is missing")
    assert not hasattr(tl, name)


def test_a_name_that_nobody_has() -> None:
    with pytest.raises(MissingNameError, match=r"module 'blockdsl\.language' has no attribute 'aranje'") as got:
        _ = tl.aranje
    assert got.value.hint == "did you mean 'arange'?"
