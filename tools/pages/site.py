"""Sphinx extension of the HTML pages: the language's reference, TableGen's manuals, and links to directories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from pages import manuals, reference
from pages.mlir_lexer import MLIRLexer


def _write_reference(app: Sphinx) -> None:
    """Writes the pages that name the entries for autodoc, but for those that are equal, whose results Sphinx keeps."""
    folder = Path(app.srcdir, "docs", "reference")
    folder.mkdir(exist_ok=True)
    made = reference.pages()
    for path in folder.glob("*.md"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _read_docstring(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    lines[:] = reference.docstring(value, lines)


def _read_manual(app: Sphinx, page: str, source: list[str]) -> None:
    if manuals.is_manual(page):
        source[0] = manuals.page_of(page, source[0])


def _unlink_directories(app: Sphinx, tree: nodes.document) -> None:
    """Replaces links to directories of the repository, which have no page, by their text."""
    for link in list(tree.findall(addnodes.pending_xref)):
        if link["reftype"] != "myst" or link["refdomain"] is not None:
            continue
        _, path = app.env.relfn2path(link["reftarget"], link["refdoc"])
        if Path(path).is_dir():
            link.replace_self(link.children)


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension."""
    app.add_lexer("mlir", MLIRLexer)
    app.connect("builder-inited", _write_reference)
    # Napoleon, which reads the sections of docstrings, comes after it with priority 500.
    app.connect("autodoc-process-docstring", _read_docstring, priority=400)
    app.connect("source-read", _read_manual)
    app.connect("doctree-read", _unlink_directories)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
