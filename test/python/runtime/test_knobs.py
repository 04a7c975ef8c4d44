"""Tests of environment variables: values, and warnings of misspelt names."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from blockdsl import knobs


def test_every_knob_has_a_name_of_its_own_and_a_meaning() -> None:
    names = [knob.name for knob in knobs.ALL]
    assert {*names} >= {"BLOCKDSL_CACHE_DIR", "BLOCKDSL_DUMP", "BLOCKDSL_INTERPRET"}
    assert len({*names}) == len(names)
    for knob in knobs.ALL:
        assert knob.meaning.endswith(".")


@pytest.mark.parametrize(("text", "value"), [("1", True), ("true", True), ("0", False), ("off", False), ("", False)])
def test_flags(text: str, value: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_INTERPRET", text)
    assert knobs.INTERPRET.get() is value


def test_lists_and_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_DUMP", "ttir, llir,")
    monkeypatch.setenv("BLOCKDSL_NUM_THREADS", "12")
    assert knobs.DUMP.get() == ("ttir", "llir")
    assert knobs.NUM_THREADS.get() == 12


@pytest.mark.parametrize("text", ["-1", "0", "many", "1.5", "99999"])
def test_invalid_value_is_ignored_with_a_warning(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_NUM_THREADS", text)
    with pytest.warns(RuntimeWarning, match=f"BLOCKDSL_NUM_THREADS='{text}' is ignored"):
        assert knobs.NUM_THREADS.get() is None


def test_the_cache_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", "/somewhere")
    monkeypatch.setenv("TRITON_CACHE_DIR", "/triton")
    assert knobs.CACHE_DIR.get() == Path("/somewhere")
    monkeypatch.delenv("BLOCKDSL_CACHE_DIR")
    assert knobs.CACHE_DIR.get() == Path("/triton/blockdsl")
    monkeypatch.delenv("TRITON_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert knobs.CACHE_DIR.get() == Path("/caches/blockdsl")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert knobs.CACHE_DIR.get() == Path("/home/somebody/.cache/blockdsl")


def test_misspelt_name_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHEDIR", "/somewhere")
    with pytest.warns(RuntimeWarning, match="unknown environment variable BLOCKDSL_CACHEDIR; did you mean "
                                            "BLOCKDSL_CACHE_DIR?"):  # fmt: skip
        knobs.warn_about_unknown()
    monkeypatch.delenv("BLOCKDSL_CACHEDIR")
    monkeypatch.setenv("BLOCKDSL_XYZZY", "1")
    with pytest.warns(RuntimeWarning, match="unknown environment variable BLOCKDSL_XYZZY; known are BLOCKDSL_"):
        knobs.warn_about_unknown()


def test_known_names_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        knobs.warn_about_unknown()
