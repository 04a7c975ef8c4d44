"""Tests of the language's reference: every docstring example runs, compiled and interpreted; no name is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import torch

import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.language.extra import libdevice
from pages import examples, reference

ENTRIES = reference.entries()
# Called by the launching program, or inside of library functions only.
OUTSIDE = ("str_to_ty", "extern_elementwise")
FAMILIES = sorted({entry.family for entry in ENTRIES if entry.example and entry.name not in OUTSIDE})


def memory() -> torch.Tensor:
    return torch.cat([torch.ones(2048), torch.zeros(2048)])


def load(path: Path, source: str) -> ModuleType:
    path.write_text(examples.HEAD + "\n\n" + source + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(path: Path, *entries: reference.Entry) -> None:
    parts = [(entry.name, entry.text, entry.example) for entry in entries]
    kernel = load(path, examples.kernel("example", *parts)).example
    interpreter.run(kernel.source, {"memory": memory()}, (1, 1, 1))
    kernel[(1,)](memory())


@pytest.mark.parametrize("family", FAMILIES)
def test_examples_run(tmp_path: Path, family: str) -> None:
    found = [entry for entry in ENTRIES if entry.family == family and entry.example and entry.name not in OUTSIDE]
    at_once = 20 if family == reference.SHARED else 1
    for at in range(0, len(found), at_once):
        check(tmp_path / f"{found[at].name}.py", *found[at : at + at_once])


def test_an_example_for_the_host() -> None:
    (example,) = (entry.example for entry in ENTRIES if entry.name == "str_to_ty")
    assert str(eval(example, {"tl": tl})) == "pointer<fp32>"


def test_every_op_has_an_example() -> None:
    without = [entry.name for entry in ENTRIES if not entry.example and not isinstance(getattr(tl, entry.name), type)]
    assert without == []


def test_no_public_function_is_left_out() -> None:
    shown = {entry.name for entry in ENTRIES}
    public = {name for name in vars(tl) if not name.startswith("_") and callable(getattr(tl, name))}
    aliases = {name for name in public if getattr(getattr(tl, name), "name", name) in shown}
    assert sorted(public - shown - aliases - {"Any", "slice", "tuple"}) == []
    assert {f"libdevice.{name}" for name in dir(libdevice) if not name.startswith("_")} - shown == set()


def test_a_name_without_a_meaning_is_an_error() -> None:
    with pytest.raises(KeyError, match="unheard_of"):
        examples.kernel("example", ("abs", "", "y = tl.abs(unheard_of)"))


def test_free_names_of_an_example() -> None:
    assert examples.free("y = tl.abs(x)\nz = y + w") == ["x", "w"]
    assert examples.free("total += x") == ["total", "x"]
    assert examples.free("def larger(a, b):\n    return a\nm = tl.reduce(x, 0, larger)") == ["x"]
