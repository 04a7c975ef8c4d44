"""Tests of text for the HTML pages that is made from docstrings and from TableGen, before Sphinx reads it."""

from __future__ import annotations

import importlib
from pathlib import Path

import blockdsl.language as tl
from pages import manuals, reference

ROOT = Path(__file__).resolve().parents[2]


def test_a_page_of_passes_has_a_title_and_enters_the_index() -> None:
    made = "<!-- made -->\n\n### `-tt-fold`\n\n_Folds_\n\n#### Options\n"
    title = "# Passes on the tt dialect\n\n<!-- made -->\n\n"
    expected = "```{index} -tt-fold\n```\n\n## `-tt-fold`\n\n_Folds_\n\n### Options\n"
    assert manuals.page_of("docs/passes/TT", made) == title + expected


def test_a_page_of_a_dialect_keeps_its_headings_but_for_the_names_of_classes() -> None:
    made = "# 'tt' Dialect\n\n[TOC]\n\n### `tt.dot` (::blockdsl::DotOp)\n\n#### Operands:\n"
    expected = "# The tt dialect\n\n\n```{index} tt.dot\n```\n\n### `tt.dot`\n\n#### Operands:\n"
    assert manuals.page_of("docs/dialects/tt", made) == expected


def test_every_page_that_cmake_has_tablegen_write_is_a_manual() -> None:
    rules = [*ROOT.glob("include/**/CMakeLists.txt")]
    passes = [path.read_text() for path in rules if "add_blockdsl_passes(" in path.read_text()]
    names = [text.split("add_blockdsl_passes(")[1].split(")")[0].split()[1] for text in passes]
    assert len(names) >= 2
    assert [name for name in names if not manuals.is_manual(f"docs/passes/{name}")] == []
    assert not manuals.is_manual("docs/tuning")


def test_an_example_of_a_docstring_becomes_code() -> None:
    lines = reference.docstring(
        tl.dot, ["Product.", "", "Args:", "    x: One.", "", "Example:", "    c = tl.dot(a, b)", ""]
    )
    assert lines[:5] == ["Product.", "", "Args:", "    x: One.", ""]
    assert [line for line in lines[5:] if line] == [
        "Example:", "    .. code-block:: python", "        c = tl.dot(a, b)"
    ]  # fmt: skip


def test_method_is_marked() -> None:
    assert "It is a method of a block, too." in reference.docstring(tl.sum, ["Sums.", "", "Args:", "    x: One."])
    assert "It is a method of a block, too." not in reference.docstring(tl.dot, ["Product."])


def test_autodoc_finds_every_entry() -> None:
    for entry in reference.entries():
        if entry.family != reference.SHARED:
            module, _, name = entry.path.rpartition(".")
            assert reference.text(getattr(importlib.import_module(module), name)) == entry.text
