"""Test that the generator covers the whole language: every op is drawn, or listed here with a reason."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import blockdsl.language as tl
import shared_code
from blockdsl.language.op import METHODS, OPS, LibraryFunction, Op
from blockdsl.language.tensor import OPERATORS
from fuzz import draw, program, values

NOT_DRAWN = {
    "device_print": "it prints",
    "static_print": "it prints",
    "aggregate_replace": "it needs a class",
    **dict.fromkeys(("randn", "randn4x", "pair_uniform_to_normal"), "a logarithm of what is rounded has no bound"),
}

# Ops that are Python operators are drawn as such.
SPELLED = set(OPERATORS.values())


def public() -> set[str]:
    """Returns the names of ``tl`` that compute, and the loops."""
    names = {name for name, value in vars(tl).items() if isinstance(value, (Op, LibraryFunction))}
    return names | {"range", "static_range", "condition", "next_power_of_2"}


def drawn() -> set[str]:
    draw.load()
    return set().union(*(each.ops for each in draw.DRAWS.values()))


def test_every_public_op_is_drawn_or_has_a_reason() -> None:
    missing = public() - drawn() - set(NOT_DRAWN)
    assert not missing, f"tell test/fuzz about {sorted(missing)}: CONTRIBUTING.md, 'Add an op'"


def test_drawn_names_are_public() -> None:
    known = public() | set(OPS) | set(METHODS)
    assert drawn() <= known, sorted(drawn() - known)
    assert set(NOT_DRAWN) <= public()


@pytest.fixture(scope="module")
def many(run_directory: Path) -> list[str]:
    def write(path: Path) -> None:
        path.write_text(json.dumps([draw.drawn(seed).source() for seed in range(400)]))

    texts: list[str] = json.loads(shared_code.once(run_directory / "drawn_programs.json", write).read_text())
    return texts


def test_every_op_occurs_in_a_few_programs(many: list[str]) -> None:
    """A form that is always refused would be registered, and never drawn."""
    text = "\n".join(many)
    unseen = {name for name in drawn() if f"{name}(" not in text and f".{name}(" not in text}
    hidden = {"load_tensor_descriptor": r"\bd\d+\.load\(", "store_tensor_descriptor": r"\bd\d+\.store\(",
              "descriptor_gather": r"\bd\d+\.gather\(", "descriptor_scatter": r"\bd\d+\.scatter\(",
              "extern_elementwise": r"libdevice\.", "cast": r"\.to\(",
              **{f"descriptor_atomic_{name}": rf"\bd\d+\.atomic_{name}\("
                 for name in ("add", "and", "max", "min", "or", "xor")}}  # fmt: skip
    unseen = {name for name in unseen if name not in hidden or not re.search(hidden[name], text)}
    assert not unseen, sorted(unseen)


@pytest.mark.parametrize("kind", values.KINDS)
def test_every_type_is_drawn(kind: str, many: list[str]) -> None:
    assert f"tl.{kind}" in "\n".join(many)


@pytest.mark.parametrize("form", ["for ", "while ", "if ", "else:", "static_range", "reverse=True", "mask=", "other=",
                                  "[None, None, None, :]", "return "])  # fmt: skip
def test_every_form_is_drawn(form: str, many: list[str]) -> None:
    assert form in "\n".join(many)


@pytest.mark.parametrize(
    "form",
    [
        r"for .*:\n(?:        .*\n)*        (v\d+) = \1 \+ (?:n\d+|-?\d+)\n",
        r"tl\.load\(v\d+[,)]",
        r"(v\d+) = tl\.where\(v\d+, v\d+, v\d+\)\n    v\d+ = tl\.load\(\1",
        r"\[:, None\] \* n\d+ \+ v\d+\[None, :\]",
    ],
)
def test_pointers_are_drawn_as_values(form: str, many: list[str]) -> None:
    assert re.search(form, "\n".join(many))


def test_seed_determines_the_program() -> None:
    assert draw.drawn(7).source() == draw.drawn(7).source()
    assert draw.drawn(7).source() != draw.drawn(8).source()


def test_seed_determines_the_program_for_any_import_order() -> None:
    sources = []
    for first in ("reductions", "memory", "elementwise"):
        code = f"import fuzz.{first}; from fuzz import draw; print(draw.drawn(11).source())"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
        sources.append(done.stdout)
    assert len(set(sources)) == 1


def test_a_kind_of_statement_can_be_left_out() -> None:
    texts = "".join(text for seed in range(30) for text in draw.drawn(seed, without=frozenset({"counted"})).texts())
    assert "histogram" not in texts
    assert isinstance(draw.drawn(1), program.Program)


def test_scalar_one_is_a_literal_as_in_a_launch() -> None:
    """``u16 & n`` is int32, but uint16 if a launch makes n a literal."""
    drawing = draw.Drawing(0, device="cpu", without=frozenset())
    drawing.values["narrow"] = drawing.evaluate("tl.full((4,), 3, tl.uint16)")
    one, two = drawing.scalar(1), drawing.scalar(2)
    assert drawing.evaluate(f"narrow & {one}").dtype == tl.uint16
    assert drawing.evaluate(f"narrow & {two}").dtype == tl.int32


def test_kernels_describe_arrays_of_floats(many: list[str]) -> None:
    """Padding is drawn for floats only."""
    assert any('tl.make_tensor_descriptor' in line and 'padding_option="nan"' in line
               for text in many for line in text.splitlines())  # fmt: skip
